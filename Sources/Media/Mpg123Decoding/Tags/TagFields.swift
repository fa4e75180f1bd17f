// SPDX-License-Identifier: Apache-2.0

internal import Media
internal import Playback

/// Raw values by field, the first of each kept; decoded together, since one field's encoding hints at the others'.
struct TagFields {
    enum Field: Hashable {
        case title, artist, album, albumArtist, genre, date, year, track, disc, comment, gainTrack, gainAlbum,
            peakTrack, peakAlbum

        init?(frameID: String) {
            switch frameID {
            case "TIT2": self = .title
            case "TPE1": self = .artist
            case "TALB": self = .album
            case "TPE2": self = .albumArtist
            case "TCON": self = .genre
            case "TDRC": self = .date
            case "TYER", "TDRL", "TORY", "TDOR": self = .year
            case "TRCK": self = .track
            case "TPOS": self = .disc
            default: return nil
            }
        }

        /// A TXXX frame's description in lower case.
        init?(extraName: String) {
            switch extraName {
            case "replaygain_track_gain": self = .gainTrack
            case "replaygain_album_gain": self = .gainAlbum
            case "replaygain_track_peak": self = .peakTrack
            case "replaygain_album_peak": self = .peakAlbum
            default: return nil
            }
        }
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
