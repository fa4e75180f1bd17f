// SPDX-License-Identifier: Apache-2.0

import Playback
import Service

extension JSONWriter {
    /// `GET /library`, and the data of a `library` event.
    mutating func members(of status: LibraryStatus) {
        member("state", status.state.rawValue)
        member("revision", status.revision)
        member("watch", status.watch.rawValue)
        member("artists", status.counts.artists)
        member("albums", status.counts.albums)
        member("tracks", status.counts.tracks)
        member("genres", status.counts.genres)
        member("unplayable", status.counts.unplayable)
        member("duration", status.counts.duration)
        member("scan", status.scan) { writer, scan in
            writer.member("startedAt", scan.startedAt)
            writer.member("endedAt", scan.endedAt)
            writer.member("found", scan.found)
            writer.member("scanned", scan.scanned)
            writer.member("added", scan.added)
            writer.member("changed", scan.changed)
            writer.member("removed", scan.removed)
            writer.member("unplayable", scan.unplayable)
            writer.member("skippedFolders", scan.skippedFolders)
            writer.member("cancelled", scan.isCancelled)
        }
        member("loudness") { writer in
            writer.member("enabled", status.loudness.isEnabled)
            writer.member("measured", status.loudness.measured)
            writer.member("remaining", status.loudness.remaining)
            writer.member("problem", status.loudness.problem)
        }
        member("problems", texts: status.problems)
    }

    mutating func members(of artist: Artist) {
        member("id", artist.id.description)
        member("name", artist.name)
        member("albums", artist.albums)
        member("tracks", artist.tracks)
        member("artwork", artist.artworkTrack.map { _ in "/api/v1/library/artists/\(artist.id)/artwork" })
    }

    mutating func members(of album: Album) {
        member("id", album.id.description)
        member("title", album.title)
        member("artist", album.artist) { $0.members(of: $1) }
        member("year", album.year)
        member("tracks", album.tracks)
        member("duration", album.duration)
        member("added", album.added)
        member("artwork", album.artworkTrack.map { _ in "/api/v1/library/albums/\(album.id)/artwork" })
    }

    mutating func members(of track: Track) {
        member("id", track.id.description)
        member("uri", track.uri)
        member("title", track.title)
        member("artist", track.artist) { $0.members(of: $1) }
        member("album", track.album) { $0.members(of: $1) }
        member("albumArtist", track.albumArtist)
        member("genres", texts: track.genres)
        member("year", track.year)
        member("discNumber", track.discNumber)
        member("trackNumber", track.trackNumber)
        member("duration", track.duration)
        member("codec", track.codec)
        member("bitrate", track.bitrate)
        member("sampleRate", track.sampleRate)
        member("channels", track.channels)
        member("size", track.size)
        member("modified", track.modified)
        member("added", track.added)
        member("picture", track.hasPicture)
    }

    mutating func members(of genre: Genre) {
        member("id", genre.id.description)
        member("name", genre.name)
        member("tracks", genre.tracks)
    }

    mutating func members(of reference: Reference) {
        member("id", reference.id.description)
        member("name", reference.name)
    }

    mutating func members(of list: Playlist) {
        member("id", list.id.description)
        member("name", list.name)
        member("length", list.length)
        member("revision", list.revision)
        member("modified", list.modified)
    }

    mutating func members(of entry: PlaylistEntry, _ sealed: SealedAddresses) {
        member("uri", PublicURI.text(entry.uri))
        member("title", entry.title)
        member("artist", entry.artist)
        member("album", entry.album)
        members(of: entry.reach)
        members(of: nil, reference: sealed.needed(for: ItemDraft(entry)))
    }
}
