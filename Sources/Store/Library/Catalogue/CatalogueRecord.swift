// SPDX-License-Identifier: Apache-2.0

internal import Kernel
import FoundationEssentials
import Media
import Playback

/// A scan's result for one file.
struct CatalogueRecord: Sendable {
    var key: Int64
    var folder: Int64
    var uri: String
    var stamp: FileStamp
    var content: Content

    enum Content: Sendable {
        case track(Tags)
        case failure(String)
    }

    struct Tags: Sendable {
        var title: String
        var artist: String?
        var album: String?
        var albumArtist: String?
        /// The album's folder, which identifies the album if it has no album artist.
        var albumPlace: String
        var genres: [String]
        var year: Int?
        var disc: Int?
        var number: Int?
        var duration: Double?
        var codec: String
        var bitrate: Int?
        var sampleRate: Int
        var channels: Int
        var hasPicture: Bool

        init(_ outline: MediaOutline, file: ScannedFile, folder: String) {
            let media = outline.media
            let tags = media.tags
            title = tags.title ?? Self.stem(file.name)
            artist = tags.artist
            album = tags.album
            albumArtist = tags.albumArtist
            albumPlace = Self.albumPlace(folder)
            genres = Self.genres(tags.genre ?? "")
            year = Self.year(tags.date)
            disc = tags.discNumber
            number = tags.trackNumber
            duration = media.durationInSeconds
            codec = media.encoding.codec
            bitrate = media.encoding.bitrate
            sampleRate = media.format.sampleRate
            channels = media.format.channelCount
            hasPicture = outline.hasPicture
        }

        static func stem(_ name: String) -> String {
            guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")), dot != name.startIndex else { return name }
            return String(name[..<dot])
        }

        /// The first number of four digits, as in "1997", "1997-05-20", "20.05.1997".
        static func year(_ date: String?) -> Int? {
            for part in (date ?? "").split(whereSeparator: { !$0.isASCII || !$0.isNumber }) where part.count == 4 {
                if let year = Int(part), (1000...9999).contains(year) { return year }
            }
            return nil
        }

        /// Returns "Album" for "Album/CD 2".
        static func albumPlace(_ folder: String) -> String {
            guard let slash = folder.utf8.lastIndex(of: UInt8(ascii: "/")) else { return folder }
            let last = folder[folder.utf8.index(after: slash)...].lowercased().filter { $0 != " " }
            for name in ["cd", "disc", "disk"] where last.hasPrefix(name) {
                let rest = last.dropFirst(name.count)
                if !rest.isEmpty, rest.allSatisfy({ $0.isASCII && $0.isNumber }) { return String(folder[..<slash]) }
            }
            return folder
        }
    }
}

extension CatalogueRecord.Tags {
    /// Limits per file, because each genre is a row and part of the search.
    static let maximumGenres = 32
    static let maximumGenreLength = 128

    /// The distinct genres of a tag that separates them by `;` or `/`.
    static func genres(_ text: String) -> [String] {
        var names: [String] = []
        var seen: Set<String> = []
        var rest = text[...]
        while !rest.isEmpty, names.count < maximumGenres {
            let part = rest.prefix { $0 != ";" && $0 != "/" }
            rest = rest[part.endIndex...].dropFirst()
            let name = String(part.prefix(maximumGenreLength).trimmingSpaces)
            if !name.isEmpty, seen.insert(name.lowercased()).inserted { names.append(name) }
        }
        return names
    }
}
