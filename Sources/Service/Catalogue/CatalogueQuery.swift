// SPDX-License-Identifier: Apache-2.0

/// A filter for catalogue entries; all conditions must hold.
public struct CatalogueFilter: Hashable, Sendable {
    public var artist: CatalogueID?
    public var album: CatalogueID?
    public var genre: CatalogueID?
    public var year: Int?

    public init(
        artist: CatalogueID? = nil, album: CatalogueID? = nil, genre: CatalogueID? = nil, year: Int? = nil
    ) {
        self.artist = artist
        self.album = album
        self.genre = genre
        self.year = year
    }
}

public struct CatalogueWindow: Hashable, Sendable {
    public enum Order: String, CaseIterable, Sendable {
        /// By name; digits compare by value; case and accents are ignored. Tracks of an album: by disc and number.
        case name
        /// Newest first.
        case added
        /// Latest first.
        case year
    }

    public var offset: Int
    public var limit: Int
    public var order: Order

    public init(offset: Int = 0, limit: Int, order: Order = .name) {
        self.offset = offset
        self.limit = limit
        self.order = order
    }
}

public struct CataloguePage<Entry: Hashable & Sendable>: Hashable, Sendable {
    /// Total number of entries.
    public var length: Int
    public var offset: Int
    public var entries: [Entry]
    /// The catalogue's revision at the time of reading.
    public var revision: UInt64

    public init(length: Int, offset: Int, entries: [Entry], revision: UInt64) {
        self.length = length
        self.offset = offset
        self.entries = entries
        self.revision = revision
    }
}

public struct SearchResult: Hashable, Sendable {
    public var artists: [Artist] = []
    public var albums: [Album] = []
    public var tracks: [Track] = []
    public var genres: [Genre] = []
    /// Paths.
    public var folders: [String] = []
    public var playlists: [Playlist] = []

    public init() {}
}
