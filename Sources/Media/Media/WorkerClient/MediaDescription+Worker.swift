// SPDX-License-Identifier: Apache-2.0

internal import MediaWorkerProtocol
internal import Playback

extension MediaDescription {
    /// From a worker's description, without the picture.
    init(_ media: WorkerMedia) {
        self.init(
            format: media.format, duration: media.duration, durationIsExact: media.durationIsExact,
            isSeekable: media.isSeekable,
            encoding: Encoding(codec: media.codec, bitrate: media.bitrate, bitsPerSample: media.bitsPerSample),
            tags: Tags(media.tags))
        clock = media.start.flatMap {
            $0.isFinite ? Clock(start: $0, grid: media.grid.flatMap { $0 > 0 ? $0 : nil }) : nil
        }
        isCut = media.isCut
        chapters = media.chapters
    }
}

extension MediaDescription.Tags {
    init(_ tags: [WorkerMedia.Tag]) {
        self.init()
        func value(_ names: String...) -> String? {
            for name in names {
                guard let tag = tags.first(where: { $0.name == name }) else { continue }
                let text = tag.value.streamSafe.trimmedOfWhitespace
                if !text.isEmpty { return String(text) }
            }
            return nil
        }
        title = value("title")
        artist = value("artist")
        album = value("album")
        albumArtist = value("album_artist", "albumartist")
        genre = value("genre")
        date = value("date", "year")
        comment = value("comment", "description")
        let track = value("track", "tracknumber").map(TagNumber.init)
        trackNumber = track?.number
        trackTotal = track?.total ?? value("tracktotal", "totaltracks").map(TagNumber.init)?.number
        discNumber = value("disc", "discnumber").map(TagNumber.init)?.number
        replayGainTrack =
            value("replaygain_track_gain").flatMap(TagGain.decibels) ?? value("r128_track_gain").flatMap(TagGain.opus)
        replayGainAlbum =
            value("replaygain_album_gain").flatMap(TagGain.decibels) ?? value("r128_album_gain").flatMap(TagGain.opus)
        replayPeakTrack = value("replaygain_track_peak").flatMap(TagGain.peak)
        replayPeakAlbum = value("replaygain_album_peak").flatMap(TagGain.peak)
        hasLyrics = Self.lyrics(in: tags) != nil
    }

    static func lyrics(in tags: [WorkerMedia.Tag]) -> String? {
        tags.first { ["lyrics", "unsyncedlyrics"].contains($0.name) }?.value.streamSafe
    }
}
