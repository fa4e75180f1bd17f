// SPDX-License-Identifier: Apache-2.0

/// The list, folder or library entry that a client queued. A class, so that all its items share the strings.
public final class ItemSource: Hashable, Sendable {
    public enum Kind: String, Sendable {
        case folder, list, podcast, playlist, artist, album, genre
    }

    public let kind: Kind
    /// The client's name for it: a path, an address or an id.
    public let id: String
    public let name: String

    public init(_ kind: Kind, id: String, name: String) {
        self.kind = kind
        self.id = id
        self.name = name
    }

    public static func == (left: ItemSource, right: ItemSource) -> Bool {
        left === right || (left.kind == right.kind && left.id == right.id && left.name == right.name)
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(kind)
        hasher.combine(id)
    }
}

extension ItemDraft {
    public func from(_ source: ItemSource?) -> ItemDraft {
        var draft = self
        draft.source = source
        return draft
    }
}
