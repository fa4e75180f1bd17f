// SPDX-License-Identifier: Apache-2.0

import Playback

/// The output of `tonearm info` for people.
struct MediaSummary {
    let text: String

    /// `isChecked`: the whole media was decoded, so that all damage is known.
    init(_ media: MediaDescription, uri: String, isChecked: Bool) {
        var table = Table(columns: [.left, .left])
        func add(_ name: String, _ value: String?) {
            if let value { table.add(name, value) }
        }
        let tags = media.tags
        add("file", uri)
        add("title", tags.title)
        add("artist", tags.artist)
        add("album", tags.album)
        add("album artist", tags.albumArtist)
        add("track", Self.count(tags.trackNumber, of: tags.trackTotal))
        add("disc", tags.discNumber.map(String.init))
        add("date", tags.date)
        add("genre", tags.genre)
        add("comment", tags.comment)
        add("picture", tags.picture.map { "\($0.mimeType), \($0.bytes.count) bytes" })
        add("replay gain", tags.replayGain.trackGain.map { Self.decibels($0) + " (track)" })
        add("album gain", tags.replayGain.albumGain.map { Self.decibels($0) + " (album)" })
        add("duration", Self.duration(media))
        add("format", Self.format(media))
        add("damage", Self.damage(media.decodeErrors, isChecked: isChecked))
        text = table.text
    }

    private static func count(_ number: Int?, of total: Int?) -> String? {
        number.map { number in total.map { "\(number) of \($0)" } ?? "\(number)" }
    }

    private static func decibels(_ gain: Double) -> String { "\((gain * 100).rounded() / 100) dB" }

    private static func duration(_ media: MediaDescription) -> String {
        guard let frames = media.duration else { return "unknown" }
        let seconds = media.format.seconds(frames)
        let exact = (seconds * 1_000).rounded() / 1_000
        return "\(TimeText.text(seconds)) (\(media.durationIsExact ? "" : "about ")\(exact) s)"
    }

    private static func format(_ media: MediaDescription) -> String {
        let encoding = media.encoding
        var parts = [encoding.codec]
        if let version = encoding.mpegVersion, let layer = encoding.layer {
            parts.append("MPEG \(version) layer \(layer)")
        }
        if let bitrate = encoding.bitrate {
            parts.append("\(bitrate / 1_000) kbit/s" + (encoding.bitrateMode.map { " \($0.rawValue)" } ?? ""))
        }
        if let bits = encoding.bitsPerSample { parts.append("\(bits) bit") }
        parts.append("\(media.format.sampleRate) Hz")
        parts.append(media.format.channelCount == 1 ? "1 channel" : "\(media.format.channelCount) channels")
        return parts.joined(separator: ", ")
    }

    private static func damage(_ count: Int, isChecked: Bool) -> String {
        switch count {
        case 0: isChecked ? "none" : "none so far"
        case 1: "1 damaged spot"
        default: "\(count) damaged spots"
        }
    }
}
