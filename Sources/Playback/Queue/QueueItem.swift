// SPDX-License-Identifier: Apache-2.0

public import Kernel

/// Identifies a queue item for good: never reused, kept across moves and restarts. Opaque to clients.
public struct ItemID: Hashable, Codable, Sendable, CustomStringConvertible {
    public let number: UInt64

    public init(number: UInt64) { self.number = number }

    /// Parses what `description` gives; nil for anything else.
    public init?(_ text: some StringProtocol) {
        guard text.first == "i", let number = UInt64(text.dropFirst(), radix: 36), text.utf8.count <= 14,
            ItemID(number: number).description == text
        else { return nil }
        self.number = number
    }

    public var description: String { "i" + String(number, radix: 36) }
}

/// A client's description of an item; also the saved part of one.
public struct ItemDraft: Hashable, Codable, Sendable {
    public var uri: String
    /// These override the media's tags.
    public var title: String?
    public var artist: String?
    public var album: String?
    public var artworkURI: String?
    /// Seconds into the media at which the item starts; 0 by default.
    public var beginTime: Double
    /// Extra rounds: 0 plays once, n plays n + 1 times, -1 repeats until the user goes on.
    public var loops: Int
    public var headers: [String: String]
    /// nil for music. Not saved.
    public var oneShot: OneShot?
    /// Where `uri` and `artworkURI` may lead: anywhere when a user named them.
    public var reach: NetworkReach
    /// The id that the item's maker gave it: passes through the player to its events. Not saved.
    public var reference: UInt64?
    /// Where the client found it; nil for what was named itself.
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
    /// Of an item beside its texts: the object, its text's storage, its places in the table and in the order.
    static let overhead = 160

    /// The cost of keeping it, as `ByteBudget` counts: the item, its texts, and their storage where there is more than a
    /// `uri`.
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
    /// `artworkURI`, where that is an address that a server can be asked for.
    public var webPicture: MediaLocator? {
        artworkURI.map { MediaLocator(uri: $0, reach: reach) }.flatMap { $0.isNetwork ? $0 : nil }
    }
}

/// One entry of the queue. Immutable; the fields that most items do not use share one optional box, so that a hundred
/// thousand items stay small.
public final class QueueItem: Sendable {
    public let id: ItemID
    public let uri: String
    /// One object for all items that came from it.
    public let source: ItemSource?
    private let details: Details?

    public init(id: ItemID, draft: ItemDraft) {
        self.id = id
        self.uri = draft.uri
        self.source = draft.source
        self.details = Self.isPlain(draft) ? nil : Details(draft)
    }

    public var draft: ItemDraft { details?.draft ?? ItemDraft(uri: uri, source: source) }
    /// It has nothing but its `uri` and `source`, as most have.
    public var isPlain: Bool { details == nil }
    /// As `ItemDraft.bytes`.
    public var bytes: Int { details?.bytes ?? ItemDraft.overhead + uri.utf8.count }
    /// Comes from a server, by its address: what takes its time to open.
    public var isRemote: Bool { MediaLocator.isNetwork(uri) }
    public var beginTime: Double { details?.draft.beginTime ?? 0 }
    public var loops: Int { details?.draft.loops ?? 0 }
    public var oneShot: OneShot? { details?.draft.oneShot }

    fileprivate static func isPlain(_ draft: ItemDraft) -> Bool {
        draft == ItemDraft(uri: draft.uri, source: draft.source)
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
