// SPDX-License-Identifier: Apache-2.0

public import Playback

extension MediaDescription.Tags {
    /// Without picture and lyrics. `value`: the text of a field by FFmpeg's name for it; nil if it is missing or empty.
    public init(reading value: (String) -> String?) {
        self.init()
        title = value("title")
        artist = value("artist")
        album = value("album")
        albumArtist = value("album_artist") ?? value("albumartist")
        genre = value("genre")
        date = value("date") ?? value("year")
        comment = value("comment") ?? value("description")
        let track = (value("track") ?? value("tracknumber")).map(TagNumber.init)
        trackNumber = track?.number
        trackTotal = track?.total ?? (value("tracktotal") ?? value("totaltracks")).map(TagNumber.init)?.number
        discNumber = (value("disc") ?? value("discnumber")).map(TagNumber.init)?.number
        replayGain.trackGain =
            value("replaygain_track_gain").flatMap(TagGain.decibels) ?? value("r128_track_gain").flatMap(TagGain.opus)
        replayGain.albumGain =
            value("replaygain_album_gain").flatMap(TagGain.decibels) ?? value("r128_album_gain").flatMap(TagGain.opus)
        replayGain.trackPeak = value("replaygain_track_peak").flatMap(TagGain.peak)
        replayGain.albumPeak = value("replaygain_album_peak").flatMap(TagGain.peak)
    }
}

/// A number and an optional total in a tag: "3", "03", "3/12", "/12".
struct TagNumber {
    /// 1 to 99,999; nil when unknown.
    var number: Int?
    var total: Int?

    init(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        number = parts.first.flatMap(Self.count)
        total = parts.dropFirst().first.flatMap(Self.count)
    }

    private static func count(_ text: Substring) -> Int? {
        let digits = text.drop(while: \.isWhitespace).prefix { $0.isASCII && $0.isNumber }
        return Int(digits).flatMap { (1...99_999).contains($0) ? $0 : nil }
    }
}

/// Parses loudness values in tags, as ReplayGain decibels; nil for implausible values.
enum TagGain {
    /// Plausible gains in dB.
    private static let range = -60.0...60

    /// "-6.50 dB", "+1.2" (ReplayGain 1.0).
    static func decibels(_ text: String) -> Double? {
        let number = text.drop { $0.isWhitespace || $0 == "+" }.prefix { "-.0123456789".contains($0) }
        return Double(number).flatMap { range.contains($0) ? $0 : nil }
    }

    /// "0.987654", the peak (ReplayGain 1.0): 1 at full scale; more if the decoded media clips.
    static func peak(_ text: String) -> Double? {
        let number = text.drop(while: \.isWhitespace).prefix { ".0123456789".contains($0) }
        return Double(number).flatMap { (0.000_01...100).contains($0) ? $0 : nil }
    }

    /// Units of 1/256 dB relative to -23 LUFS (RFC 7845, 5.2.1). ReplayGain's reference is 5 dB higher.
    static func opus(_ text: String) -> Double? {
        Int(text).map { Double($0) / 256 + 5 }.flatMap { range.contains($0) ? $0 : nil }
    }
}

/// The ID3v2 tag, which precedes MPEG audio and sometimes other formats.
public enum VersionTwoTag {
    /// Bytes of the tag that starts with these 10 bytes, including header and footer (ID3v2.4 structure, 3.1); nil without one.
    public static func size(_ head: [UInt8]) -> Int64? {
        guard head.count >= 10, head.starts(with: "ID3".utf8), head[3] != 0xFF, head[4] != 0xFF,
            head[6...9].allSatisfy({ $0 < 0x80 })
        else { return nil }
        let body = head[6...9].reduce(Int64(0)) { $0 << 7 | Int64($1) }
        return 10 + body + (head[3] == 4 && head[5] & 0x10 != 0 ? 10 : 0)
    }
}
