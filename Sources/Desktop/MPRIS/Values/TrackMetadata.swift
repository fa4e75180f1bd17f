// SPDX-License-Identifier: Apache-2.0

import Kernel
import Playback

/// The `Metadata` of a track, with the keys of the MPRIS metadata page and xesam. Unknown values have no key.
enum TrackMetadata {
    /// Items that are not loaded have the client's texts only.
    static func of(
        _ item: QueueItem, media: MediaDescription? = nil, duration: Double? = nil, artwork: String? = nil,
        prefersTags: Bool = false
    ) -> [String: BusValue] {
        let draft = item.draft
        let tags = media?.tags
        var result: [String: BusValue] = ["mpris:trackid": .path(TrackPath.text(item.id))]
        func put(_ key: String, _ value: String?, asList: Bool = false) {
            guard let value, !value.isEmpty else { return }
            result[key] = asList ? .texts([value]) : .text(value)
        }
        func chosen(_ given: String?, _ tagged: String?) -> String? {
            prefersTags ? tagged ?? given : given ?? tagged
        }
        if let broadcast = media?.broadcast {
            // As on the web page: the song as title, the station as artist.
            let station = chosen(draft.title, broadcast.station) ?? name(of: item.uri)
            put("xesam:title", broadcast.programme?.title ?? station)
            if broadcast.programme?.title != nil { put("xesam:artist", station, asList: true) }
        } else {
            put("xesam:title", chosen(draft.title, tags?.title) ?? name(of: item.uri))
            put("xesam:artist", chosen(draft.artist, tags?.artist), asList: true)
        }
        put("xesam:album", chosen(draft.album, tags?.album))
        put("xesam:albumArtist", tags?.albumArtist, asList: true)
        put("xesam:genre", tags?.genre, asList: true)
        put("xesam:comment", tags?.comment, asList: true)
        put("xesam:contentCreated", tags?.date.flatMap(date))
        put("xesam:url", address(item.uri))
        put("mpris:artUrl", artwork)
        if let number = tags?.trackNumber { result["xesam:trackNumber"] = .int32(Int32(clamping: number)) }
        if let number = tags?.discNumber { result["xesam:discNumber"] = .int32(Int32(clamping: number)) }
        if let duration, duration.isFinite, duration >= 0 { result["mpris:length"] = .int64(microseconds(duration)) }
        return result
    }

    static func microseconds(_ seconds: Double) -> Int64 { Int64(clamping: (min(seconds, 9e12) * 1e6).rounded()) }

    /// The file's name without its extension, as a replacement for a missing title; the web page does the same.
    private static func name(of uri: String) -> String? {
        guard let last = uri.split(separator: "/").last else { return nil }
        guard let dot = last.utf8.lastIndex(of: UInt8(ascii: ".")), dot != last.startIndex else { return String(last) }
        return String(last[..<dot])
    }

    /// A web address, unless it may hold a secret. Local items have paths below a music folder, not addresses.
    private static func address(_ uri: String) -> String? {
        guard MediaLocator.isNetwork(uri), !uri.contains("@"), !uri.contains("?") else { return nil }
        return uri
    }

    /// The tag's date in ISO 8601, to the year, month or day.
    private static func date(_ tag: String) -> String? {
        let day = tag.prefix(10)
        let parts = day.split(separator: "-", omittingEmptySubsequences: false)
        guard let year = parts.first, year.utf8.count == 4, parts.count <= 3,
            parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy { (48...57).contains($0) } }),
            parts.dropFirst().allSatisfy({ $0.utf8.count == 2 })
        else { return nil }
        return String(day)
    }
}

/// Item ids as D-Bus object paths. An item keeps its path, as `mpris:trackid` requires.
enum TrackPath {
    /// The specification's path for "no track".
    static let none = "/org/mpris/MediaPlayer2/TrackList/NoTrack"
    private static let prefix = "/org/tonearm/track/"

    static func text(_ id: ItemID) -> String { prefix + id.description }

    static func item(_ path: String) -> ItemID? {
        path.hasPrefix(prefix) ? ItemID(path.dropFirst(prefix.count)) : nil
    }
}
