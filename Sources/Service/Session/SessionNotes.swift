// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials
internal import Playback

/// The session's part of the saved state. What cannot be read is as if it were not there.
enum SessionNotes {
    private static let configuration = "session"
    private static let journal = "session.journal"

    private struct Saved: Codable {
        var category: String
        var options: [String]
        var mode: String
        var silentSwitch: Bool
    }

    static func core(_ notes: [String: String], interruptsOthers: Bool) -> SessionCore {
        let saved = decode(Saved.self, notes[configuration])
        return SessionCore(
            configuration: saved.flatMap(valid) ?? .standard, silentSwitch: saved?.silentSwitch ?? false,
            entries: decode([OtherStreamsPolicy.Entry].self, notes[journal]) ?? [], interruptsOthers: interruptsOthers)
    }

    static func changes(_ configuration: SessionConfiguration, silentSwitch: Bool) -> [SavedChange] {
        note(
            Self.configuration,
            Saved(
                category: configuration.category.rawValue, options: configuration.options.map(\.rawValue).sorted(),
                mode: configuration.mode.rawValue, silentSwitch: silentSwitch))
    }

    static func changes(_ entries: [OtherStreamsPolicy.Entry]) -> [SavedChange] { note(journal, entries) }

    private static func valid(_ saved: Saved) -> SessionConfiguration? {
        guard let category = SessionCategory(rawValue: saved.category), let mode = SessionMode(rawValue: saved.mode)
        else { return nil }
        do throws(SessionProblem) {
            return try SessionConfiguration(
                category: category, options: Set(saved.options.compactMap(SessionOption.init)), mode: mode)
        } catch {
            return nil
        }
    }

    private static func note(_ name: String, _ value: some Encodable) -> [SavedChange] {
        do {
            return [.note(name, String(decoding: try JSONEncoder().encode(value), as: UTF8.self))]
        } catch {
            // Numbers and texts can always be encoded.
            preconditionFailure("\(name): \(error)")
        }
    }

    private static func decode<Value: Decodable>(_ type: Value.Type, _ text: String?) -> Value? {
        guard let text else { return nil }
        do { return try JSONDecoder().decode(type, from: Data(text.utf8)) } catch { return nil }
    }
}
