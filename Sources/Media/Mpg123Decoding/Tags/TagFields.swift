// SPDX-License-Identifier: Apache-2.0

internal import Media
internal import Playback

/// Raw values by field; the first value of each field counts. They are decoded together, because one field's encoding is a hint for the
/// others.
struct TagFields {
    enum Field: Hashable {
        case title, artist, album, albumArtist, genre, date, year, track, disc, comment, gainTrack, gainAlbum,
            peakTrack, peakAlbum

        /// By frame ID.
        static let frames: [String: Field] = [
            "TIT2": .title, "TPE1": .artist, "TALB": .album, "TPE2": .albumArtist, "TCON": .genre, "TDRC": .date,
            "TYER": .year, "TDRL": .year, "TORY": .year, "TDOR": .year, "TRCK": .track, "TPOS": .disc,
        ]
        /// By a TXXX frame's description in lower case.
        static let extras: [String: Field] = [
            "replaygain_track_gain": .gainTrack, "replaygain_album_gain": .gainAlbum,
            "replaygain_track_peak": .peakTrack, "replaygain_album_peak": .peakAlbum,
        ]
    }

    private var values: [Field: TagText] = [:]

    mutating func add(_ text: TagText, to field: Field) {
        if !text.isEmpty, values[field] == nil { values[field] = text }
    }

    func tags() -> MediaDescription.Tags {
        let hint = values.values.lazy.compactMap(\.legacyEncoding).first
        func string(_ field: Field) -> String? {
            guard let text = values[field]?.string(hint: hint), !text.isEmpty else { return nil }
            return text
        }
        var tags = MediaDescription.Tags()
        tags.title = string(.title)
        tags.artist = string(.artist)
        tags.album = string(.album)
        tags.albumArtist = string(.albumArtist)
        tags.genre = string(.genre).map(GenreList.expand)
        tags.date = string(.date) ?? string(.year)
        tags.comment = string(.comment)
        let track = string(.track).map(TagNumber.init)
        (tags.trackNumber, tags.trackTotal) = (track?.number, track?.total)
        tags.discNumber = string(.disc).map(TagNumber.init)?.number
        tags.replayGainTrack = string(.gainTrack).flatMap(TagGain.decibels)
        tags.replayGainAlbum = string(.gainAlbum).flatMap(TagGain.decibels)
        tags.replayPeakTrack = string(.peakTrack).flatMap(TagGain.peak)
        tags.replayPeakAlbum = string(.peakAlbum).flatMap(TagGain.peak)
        return tags
    }
}
