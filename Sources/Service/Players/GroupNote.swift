// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials
internal import Playback

/// A change of groups that is under way, in the saved state of `main`: the leaders that its players have after a restart; nil
/// leads. Empty between changes.
enum GroupNote {
    static let name = "groups"

    static func command(_ leaders: [String: String?]) -> PlayerCommand {
        do {
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            return .note(name, String(decoding: try encoder.encode(leaders), as: UTF8.self))
        } catch {
            // Texts can always be encoded.
            preconditionFailure("groups: \(error)")
        }
    }

    /// What cannot be read is as if it were not there.
    static func leaders(_ text: String) -> [String: String?] {
        do { return try JSONDecoder().decode([String: String?].self, from: Data(text.utf8)) } catch { return [:] }
    }
}
