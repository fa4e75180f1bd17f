// SPDX-License-Identifier: Apache-2.0

internal import Playback

/// The session's part of the saved state. Unreadable parts count as absent.
enum SessionNotes {
    private static let configuration = SavedNote<Saved>(name: "session")
    private static let journal = SavedNote<[OtherStreamsPolicy.Entry]>(name: "session.journal")

    private struct Saved: Codable {
        var category: SessionCategory
        /// Another version may have saved more.
        var options: [String]
        var mode: SessionMode
        var silentSwitch: Bool
    }

    static func core(_ notes: [String: String], interruptsOthers: Bool) -> SessionCore {
        let saved = configuration.value(notes[configuration.name])
        return SessionCore(
            configuration: saved.flatMap(valid) ?? .standard, silentSwitch: saved?.silentSwitch ?? false,
            entries: journal.value(notes[journal.name]) ?? [], interruptsOthers: interruptsOthers)
    }

    static func change(_ configuration: SessionConfiguration, silentSwitch: Bool) -> SavedChange {
        Self.configuration.change(
            Saved(
                category: configuration.category, options: configuration.options.map(\.rawValue).sorted(),
                mode: configuration.mode, silentSwitch: silentSwitch))
    }

    static func change(_ entries: [OtherStreamsPolicy.Entry]) -> SavedChange { journal.change(entries) }

    private static func valid(_ saved: Saved) -> SessionConfiguration? {
        do throws(Problem) {
            return try SessionConfiguration(
                category: saved.category, options: Set(saved.options.compactMap { SessionOption(rawValue: $0) }),
                mode: saved.mode)
        } catch {
            return nil
        }
    }
}
