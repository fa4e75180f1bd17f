// SPDX-License-Identifier: Apache-2.0

internal import Media
internal import Playback

/// Raw values by FFmpeg's names of the fields; the first value of each field counts. They are decoded together, because one field's
/// encoding is a hint for the others.
struct TagFields {
    /// By frame ID.
    static let frames = [
        "TIT2": "title", "TPE1": "artist", "TALB": "album", "TPE2": "album_artist", "TCON": "genre", "TDRC": "date",
        "TYER": "year", "TDRL": "year", "TORY": "year", "TDOR": "year", "TRCK": "track", "TPOS": "disc",
    ]
    /// TXXX frames by their description in lower case.
    static let extras: Set = [
        "replaygain_track_gain", "replaygain_album_gain", "replaygain_track_peak", "replaygain_album_peak",
    ]

    private var values: [String: TagText] = [:]

    mutating func add(_ text: TagText, to field: String) {
        if !text.isEmpty, values[field] == nil { values[field] = text }
    }

    func tags() -> MediaDescription.Tags {
        let hint = values.values.lazy.compactMap(\.legacyEncoding).first
        var tags = MediaDescription.Tags { name in
            guard let text = values[name]?.string(hint: hint), !text.isEmpty else { return nil }
            return text
        }
        tags.genre = tags.genre.map(GenreList.expand)
        return tags
    }
}
