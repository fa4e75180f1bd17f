// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials
internal import Playback

/// A named value that a part of the server saves beside a player's state.
struct SavedNote<Value: Codable>: Sendable {
    let name: String

    func text(_ value: Value) -> String {
        do {
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            return String(decoding: try encoder.encode(value), as: UTF8.self)
        } catch {
            // Texts and finite numbers can always be encoded.
            preconditionFailure("\(name): \(error)")
        }
    }

    func change(_ value: Value) -> SavedChange { .note(name, text(value)) }

    /// nil also for an unreadable text.
    func value(_ text: String?) -> Value? {
        guard let text else { return nil }
        do { return try JSONDecoder().decode(Value.self, from: Data(text.utf8)) } catch { return nil }
    }
}
