// SPDX-License-Identifier: Apache-2.0

public import Kernel

/// Stores named lists of media. All members may block for milliseconds; changes are on disk when they return.
public protocol PlaylistKeeper: Sendable {
    func playlists() throws(PlaylistError) -> [Playlist]
    /// Playlists whose names match these words, with the library's rules, best matches first.
    func search(_ text: String, limit: Int) throws(PlaylistError) -> [Playlist]
    /// The list, and a window of its entries.
    func playlist(
        _ id: PlaylistID, offset: Int, limit: Int
    ) throws(PlaylistError) -> (list: Playlist, entries: [PlaylistEntry])
    func create(name: String, entries: [PlaylistEntry]) throws(PlaylistError) -> Playlist
    /// nil leaves a member unchanged. `expected`: the revisions that allow the change; nil: any.
    func change(
        _ id: PlaylistID, name: String?, entries: PlaylistChange?, expected: [UInt64]?
    ) throws(PlaylistError) -> Playlist
    func remove(_ id: PlaylistID, expected: [UInt64]?) throws(PlaylistError)
}

public enum PlaylistChange: Hashable, Sendable {
    case replace([PlaylistEntry])
    case append([PlaylistEntry])
}

public enum PlaylistError: Error, Hashable, Sendable {
    case unknown
    /// The playlist has another revision.
    case revisionMismatch(current: UInt64)
    /// The maximum number of playlists, or of entries in one.
    case full(maximum: Int)
    /// The entries would exceed this size.
    case tooLarge(megabytes: Int)
    /// The disk cannot be read; a later try may succeed.
    case unreadable(String)
    /// The disk cannot be written; nothing has changed.
    case notSaved(String)
    /// As `notSaved`, because the disk is full.
    case diskFull(String)
}

public struct PlaylistID: Hashable, Sendable, CustomStringConvertible {
    public let number: Int64

    public init(number: Int64) { self.number = number }

    public init?(_ text: some StringProtocol) {
        guard text.first == "p", text.utf8.count <= 14, let number = Int64(text.dropFirst(), radix: 36), number > 0,
            PlaylistID(number: number).description == text
        else { return nil }
        self.number = number
    }

    public var description: String { "p" + String(number, radix: 36) }
}

public struct Playlist: Hashable, Sendable {
    public var id: PlaylistID
    public var name: String
    public var length: Int
    /// Rises with every change of this list.
    public var revision: UInt64
    /// Seconds since the Unix epoch.
    public var modified: Double

    public init(id: PlaylistID, name: String, length: Int, revision: UInt64, modified: Double) {
        self.id = id
        self.name = name
        self.length = length
        self.revision = revision
        self.modified = modified
    }
}

/// The data needed to queue an item again and to show it.
public struct PlaylistEntry: Hashable, Sendable {
    public var uri: String
    public var title: String?
    public var artist: String?
    public var album: String?
    /// The addresses that `uri` may connect to.
    public var reach: NetworkReach

    public init(
        uri: String, title: String? = nil, artist: String? = nil, album: String? = nil,
        reach: NetworkReach = .anywhere
    ) {
        self.uri = uri
        self.title = title
        self.artist = artist
        self.album = album
        self.reach = reach
    }

    /// Size of its texts.
    public var bytes: Int { [title, artist, album].reduce(uri.utf8.count) { $0 + ($1?.utf8.count ?? 0) } }
}
