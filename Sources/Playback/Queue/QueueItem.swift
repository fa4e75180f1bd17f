// SPDX-License-Identifier: Apache-2.0

public import Kernel

/// Identifies a queue item permanently: never reused, kept across moves and restarts. Opaque to clients.
public struct ItemID: Hashable, Codable, Sendable, CustomStringConvertible {
    public let number: UInt64

    public init(number: UInt64) { self.number = number }

    /// Parses a `description`; nil for any other text.
    public init?(_ text: some StringProtocol) {
        guard text.first == "i", let number = UInt64(text.dropFirst(), radix: 36), text.utf8.count <= 14,
            ItemID(number: number).description == text
        else { return nil }
        self.number = number
    }

    public var description: String { "i" + String(number, radix: 36) }
}

/// A client's description of an item; also its saved form.
public struct ItemDraft: Hashable, Codable, Sendable {
    public var uri: String
    /// Overrides the item's tags, as do the next three.
    public var title: String?
    public var artist: String?
    public var album: String?
    public var artworkURI: String?
    /// Seconds into the media at which the item starts.
    public var beginTime: Double
    /// Repetitions: 0 plays once, n plays n + 1 times, -1 repeats until the user moves on.
    public var loops: Int
    public var headers: [String: String]
    /// nil for music. Not saved.
    public var oneShot: OneShot?
    /// The networks that `uri` and `artworkURI` may lead to: any if a user entered them.
    public var reach: NetworkReach
    /// The creator's id of the item; passed through the player to its events. Not saved.
    public var reference: UInt64?
    /// The source in which the client found the item; nil for a single item.
    public var source: ItemSource?

    private enum CodingKeys: CodingKey { case uri, title, artist, album, artworkURI, beginTime, loops, headers, reach }

    public init(
        uri: String, title: String? = nil, artist: String? = nil, album: String? = nil, artworkURI: String? = nil,
        beginTime: Double = 0, loops: Int = 0, headers: [String: String] = [:], oneShot: OneShot? = nil,
        reach: NetworkReach = .anywhere, reference: UInt64? = nil, source: ItemSource? = nil
    ) {
        self.uri = uri
        self.title = title
        self.artist = artist
        self.album = album
        self.artworkURI = artworkURI
        self.beginTime = beginTime
        self.loops = loops
        self.headers = headers
        self.oneShot = oneShot
        self.reach = reach
        self.reference = reference
        self.source = source
    }
}

extension ItemDraft {
    /// Bytes of an item besides its strings: the object, the string's storage, its entries in table and order.
    static let overhead = 160

    /// The size for `ByteBudget`: the item, its strings, and their storage if the item has more than a `uri`.
    public var bytes: Int {
        var bytes = Self.overhead + uri.utf8.count
        if QueueItem.isPlain(self) { return bytes }
        bytes += 128
        for text in [title, artist, album, artworkURI] { bytes += text?.utf8.count ?? 0 }
        for (name, value) in headers { bytes += 64 + name.utf8.count + value.utf8.count }
        return bytes
    }
}

extension ItemDraft {
    /// `artworkURI`, if it is a web address.
    public var webPicture: MediaLocator? {
        artworkURI.map { MediaLocator(uri: $0, reach: reach) }.flatMap { $0.isNetwork ? $0 : nil }
    }
}

/// An entry of the queue. Immutable. Fields that most items do not use share one optional box, to save memory.
public final class QueueItem: Sendable {
    public let id: ItemID
    public let uri: String
    /// All items of a source share this object.
    public let source: ItemSource?
    private let details: Details?

    public init(id: ItemID, draft: ItemDraft) {
        self.id = id
        self.uri = draft.uri
        self.source = draft.source
        self.details = Self.isPlain(draft) ? nil : Details(draft)
    }

    public var draft: ItemDraft { details?.draft ?? ItemDraft(uri: uri, source: source) }
    /// The item has only `uri` and `source`, like most.
    public var isPlain: Bool { details == nil }
    /// See `ItemDraft.bytes`.
    public var bytes: Int { details?.bytes ?? ItemDraft.overhead + uri.utf8.count }
    /// The item has a web address, so that it may be slow to open.
    public var isRemote: Bool { MediaLocator.isNetwork(uri) }
    public var beginTime: Double { details?.draft.beginTime ?? 0 }
    public var loops: Int { details?.draft.loops ?? 0 }
    public var oneShot: OneShot? { details?.draft.oneShot }

    /// Compares member by member for speed: called several times for each item of a long list.
    fileprivate static func isPlain(_ draft: ItemDraft) -> Bool {
        draft.title == nil && draft.artist == nil && draft.album == nil && draft.artworkURI == nil
            && draft.beginTime == 0 && draft.loops == 0 && draft.headers.isEmpty && draft.oneShot == nil
            && draft.reach == .anywhere && draft.reference == nil
    }

    private final class Details: Sendable {
        let draft: ItemDraft
        let bytes: Int

        init(_ draft: ItemDraft) {
            self.draft = draft
            bytes = draft.bytes
        }
    }
}
