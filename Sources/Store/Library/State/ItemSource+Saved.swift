// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Kernel
import Playback

extension ItemSource {
    private struct Saved: Codable { var type, id, name: String }

    func saved() throws -> String {
        String(decoding: try JSONEncoder().encode(Saved(type: kind.rawValue, id: id, name: name)), as: UTF8.self)
    }

    /// nil for an unreadable text: the item is kept without its source.
    convenience init?(saved text: String) {
        do {
            let saved = try JSONDecoder().decode(Saved.self, from: Data(text.utf8))
            guard let kind = Kind(rawValue: saved.type) else { return nil }
            self.init(kind, id: saved.id, name: saved.name)
        } catch {
            return nil
        }
    }
}

extension NetworkReach {
    /// nil for the default, which keeps most rows short.
    var saved: String? { self == .anywhere ? nil : rawValue }

    /// An unreadable value becomes the most restrictive one.
    init(saved text: String?) {
        self = text.map { NetworkReach(rawValue: $0) ?? .public } ?? .anywhere
    }
}
