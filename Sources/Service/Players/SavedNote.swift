// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials
internal import Playback

/// A value that a part of the server keeps beside a player's saved state, under a name of its own.
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

    /// nil also for a text that cannot be read.
    func value(_ text: String?) -> Value? {
        guard let text else { return nil }
        do { return try JSONDecoder().decode(Value.self, from: Data(text.utf8)) } catch { return nil }
    }
}
