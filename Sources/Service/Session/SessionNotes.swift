// SPDX-License-Identifier: Apache-2.0

internal import Playback

/// The session's part of the saved state. What cannot be read is as if it were not there.
enum SessionNotes {
    private static let configuration = SavedNote<Saved>(name: "session")
    private static let journal = SavedNote<[OtherStreamsPolicy.Entry]>(name: "session.journal")

    private struct Saved: Codable {
        var category: String
        var options: [String]
        var mode: String
        var silentSwitch: Bool
    }

    static func core(_ notes: [String: String], interruptsOthers: Bool) -> SessionCore {
        let saved = configuration.value(notes[configuration.name])
        return SessionCore(
            configuration: saved.flatMap(valid) ?? .standard, silentSwitch: saved?.silentSwitch ?? false,
            entries: journal.value(notes[journal.name]) ?? [], interruptsOthers: interruptsOthers)
    }

    static func changes(_ configuration: SessionConfiguration, silentSwitch: Bool) -> [SavedChange] {
        let saved = Saved(
            category: configuration.category.rawValue, options: configuration.options.map(\.rawValue).sorted(),
            mode: configuration.mode.rawValue, silentSwitch: silentSwitch)
        return [Self.configuration.change(saved)]
    }

    static func changes(_ entries: [OtherStreamsPolicy.Entry]) -> [SavedChange] { [journal.change(entries)] }

    private static func valid(_ saved: Saved) -> SessionConfiguration? {
        guard let category = SessionCategory(rawValue: saved.category), let mode = SessionMode(rawValue: saved.mode)
        else { return nil }
        do throws(Problem) {
            return try SessionConfiguration(
                category: category, options: Set(saved.options.compactMap(SessionOption.init)), mode: mode)
        } catch {
            return nil
        }
    }
}
