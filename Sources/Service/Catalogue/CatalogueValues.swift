// SPDX-License-Identifier: Apache-2.0

/// Id of an artist, album, track or genre; the same in every catalogue of the same music. Opaque to clients: a letter
/// for the kind, and a number.
public struct CatalogueID: Hashable, Sendable, CustomStringConvertible {
    public enum Kind: Character, Sendable {
        case artist = "a"
        case album = "b"
        case genre = "g"
        case track = "t"
    }

    public let kind: Kind
    public let number: Int64

    public init(_ kind: Kind, _ number: Int64) {
        self.kind = kind
        self.number = number
    }

    /// Parses a `description`; nil for any other text.
    public init?(_ text: some StringProtocol) {
        guard text.utf8.count <= 15, let first = text.first, let kind = Kind(rawValue: first),
            let number = UInt64(text.dropFirst(), radix: 36),
            CatalogueID(kind, Int64(bitPattern: number)).description == text
        else { return nil }
        self.init(kind, Int64(bitPattern: number))
    }

    public var description: String { String(kind.rawValue) + String(UInt64(bitPattern: number), radix: 36) }
}

public struct Artist: Hashable, Sendable {
    public var id: CatalogueID
    public var name: String
    public var albums: Int
    public var tracks: Int
    /// A track with the picture of the artist's latest album that has a picture.
    public var artworkTrack: CatalogueID?

    public init(id: CatalogueID, name: String, albums: Int, tracks: Int, artworkTrack: CatalogueID?) {
        self.id = id
        self.name = name
        self.albums = albums
        self.tracks = tracks
        self.artworkTrack = artworkTrack
    }
}

public struct Album: Hashable, Sendable {
    public var id: CatalogueID
    public var title: String
    /// nil for an album of several artists.
    public var artist: Reference?
    public var year: Int?
    public var tracks: Int
    /// Seconds.
    public var duration: Double
    /// A track with a picture in its tags, else one with a picture in its folder; nil if the album has no picture.
    public var artworkTrack: CatalogueID?
    /// Time at which its newest track was added: seconds since the Unix epoch.
    public var added: Double

    public init(
        id: CatalogueID, title: String, artist: Reference?, year: Int?, tracks: Int, duration: Double,
        artworkTrack: CatalogueID?, added: Double
    ) {
        self.id = id
        self.title = title
        self.artist = artist
        self.year = year
        self.tracks = tracks
        self.duration = duration
        self.artworkTrack = artworkTrack
        self.added = added
    }
}

/// A reference to another entry, with its name.
public struct Reference: Hashable, Sendable {
    public var id: CatalogueID
    public var name: String

    public init(id: CatalogueID, name: String) {
        self.id = id
        self.name = name
    }
}

public struct Track: Hashable, Sendable {
    public var id: CatalogueID
    public var uri: String
    /// The file's name if the tags have no title.
    public var title: String
    public var artist: Reference?
    public var album: Reference?
    public var albumArtist: String?
    public var genres: [String]
    public var year: Int?
    public var discNumber: Int?
    public var trackNumber: Int?
    /// Seconds; nil when unknown.
    public var duration: Double?
    public var codec: String
    /// Bits per second.
    public var bitrate: Int?
    public var sampleRate: Int
    public var channels: Int
    /// Bytes.
    public var size: Int64
    /// Seconds since the Unix epoch.
    public var modified: Double
    public var added: Double
    public var hasPicture: Bool

    public init(
        id: CatalogueID, uri: String, title: String, artist: Reference?, album: Reference?, albumArtist: String?,
        genres: [String], year: Int?, discNumber: Int?, trackNumber: Int?, duration: Double?, codec: String,
        bitrate: Int?, sampleRate: Int, channels: Int, size: Int64, modified: Double, added: Double, hasPicture: Bool
    ) {
        self.id = id
        self.uri = uri
        self.title = title
        self.artist = artist
        self.album = album
        self.albumArtist = albumArtist
        self.genres = genres
        self.year = year
        self.discNumber = discNumber
        self.trackNumber = trackNumber
        self.duration = duration
        self.codec = codec
        self.bitrate = bitrate
        self.sampleRate = sampleRate
        self.channels = channels
        self.size = size
        self.modified = modified
        self.added = added
        self.hasPicture = hasPicture
    }
}

/// The tags of a track that lists show.
public struct TrackDetails: Hashable, Sendable {
    /// nil if neither title nor artist nor album are tagged.
    public var title: String?
    public var artist: String?
    public var album: String?
    public var albumArtist: String?
    public var year: Int?
    public var discNumber: Int?
    public var trackNumber: Int?
    /// Seconds; nil when unknown.
    public var duration: Double?

    public init(
        title: String?, artist: String?, album: String?, albumArtist: String?, year: Int?, discNumber: Int?,
        trackNumber: Int?, duration: Double?
    ) {
        self.title = title
        self.artist = artist
        self.album = album
        self.albumArtist = albumArtist
        self.year = year
        self.discNumber = discNumber
        self.trackNumber = trackNumber
        self.duration = duration
    }
}

public struct Genre: Hashable, Sendable {
    public var id: CatalogueID
    public var name: String
    public var tracks: Int

    public init(id: CatalogueID, name: String, tracks: Int) {
        self.id = id
        self.name = name
        self.tracks = tracks
    }
}
