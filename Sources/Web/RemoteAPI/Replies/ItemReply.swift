// SPDX-License-Identifier: Apache-2.0

import Kernel
import Playback
import Service

extension JSONWriter {
    /// A queue entry without secrets: header fields are left out, and secrets in addresses hidden. The client's texts
    /// replace those of the catalogue.
    mutating func members(of item: QueueItem, _ details: TrackDetails?, _ links: ItemLinks) {
        members(of: item, title: details?.title, artist: details?.artist, album: details?.album)
        member("duration", details?.duration)
        member("tags", details) { writer, details in
            writer.member("title", details.title)
            writer.member("artist", details.artist)
            writer.member("album", details.album)
            writer.member("albumArtist", details.albumArtist)
            writer.member("date", details.year.map { String($0) })
            writer.member("trackNumber", details.trackNumber)
            writer.member("discNumber", details.discNumber)
        }
        members(of: item.draft.reach)
        members(of: item.source, reference: links.sealed.needed(for: item.draft))
    }

    /// The client's texts; the given ones where it has none.
    private mutating func members(of item: QueueItem, title: String?, artist: String?, album: String?) {
        let draft = item.draft
        member("id", item.id.description)
        member("uri", PublicURI.text(item.uri))
        member("title", draft.title ?? title)
        member("artist", draft.artist ?? artist)
        member("album", draft.album ?? album)
        member("artworkUri", draft.artworkURI.map(PublicURI.text))
        member("beginTime", draft.beginTime)
        member("loops", draft.loops)
    }

    /// Only if it is not the default.
    mutating func members(of reach: NetworkReach) {
        if reach != .anywhere { member("reach", reach.rawValue) }
    }

    /// The current item, audible or about to be. The client's texts replace those of the tags.
    mutating func members(of current: CurrentItem, _ links: ItemLinks) {
        let draft = current.item.draft
        let tags = current.media?.tags
        members(of: current.item, title: tags?.title, artist: tags?.artist, album: tags?.album)
        members(of: draft.reach)
        members(of: draft.source, reference: links.sealed.needed(for: draft))
        member("index", current.index)
        member("status", current.error != nil ? "failed" : current.media == nil ? "loading" : "ready")
        member("duration", current.duration)
        let hasPicture =
            tags?.picture != nil || current.media?.companions.hasPicture == true || draft.webPicture != nil
        member("artwork", hasPicture ? links.path.item(current.item.id) + "/artwork" : nil)
        lyricsMember(of: current.media, uri: current.item.uri)
        mediaMembers(of: current.media)
        member("live", current.media?.broadcast) { $0.members(of: $1) }
        member("error", current.error) { $0.members(of: $1) }
    }

    /// Whether there are lyrics; null while unknown. Lyrics are not fetched from the web.
    mutating func lyricsMember(of media: MediaDescription?, uri: String) {
        member(
            "lyrics",
            media.map { ($0.tags.hasLyrics || $0.companions.hasLyrics) && !MediaLocator.isNetwork(uri) })
    }

    /// A station and its audible title.
    mutating func members(of broadcast: Broadcast) {
        member("station", broadcast.station)
        member("genre", broadcast.genre)
        member("description", broadcast.about)
        member("homepage", broadcast.homepage)
        member("bitrate", broadcast.bitrate)
        member("title", broadcast.programme?.title)
        member("titleUrl", broadcast.programme?.url)
    }

    /// `durationIsExact`, `seekable`, `decodeErrors`, `format` and `tags`; null while the item is not open.
    mutating func mediaMembers(of media: MediaDescription?) {
        member("durationIsExact", media?.durationIsExact)
        member("positionIsExact", media?.positionIsExact)
        member("seekable", media?.isSeekable)
        member("decodeErrors", media?.decodeErrors ?? 0)
        member("format", media) { writer, media in
            let encoding = media.encoding
            writer.member("codec", encoding.codec)
            writer.member("layer", encoding.layer)
            writer.member("mpegVersion", encoding.mpegVersion)
            writer.member("bitrateMode", encoding.bitrateMode?.rawValue)
            writer.member("bitrate", encoding.bitrate)
            writer.member("bitsPerSample", encoding.bitsPerSample)
            writer.member("sampleRate", media.format.sampleRate)
            writer.member("channels", media.format.channelCount)
        }
        if let chapters = media?.chapters, !chapters.isEmpty {
            member("chapters", objects: chapters) { writer, chapter in
                writer.member("start", chapter.start)
                writer.member("end", chapter.end)
                writer.member("title", chapter.title)
            }
        }
        member("tags", media?.tags) { writer, tags in
            writer.member("title", tags.title)
            writer.member("artist", tags.artist)
            writer.member("album", tags.album)
            writer.member("albumArtist", tags.albumArtist)
            writer.member("genre", tags.genre)
            writer.member("date", tags.date)
            writer.member("trackNumber", tags.trackNumber)
            writer.member("trackTotal", tags.trackTotal)
            writer.member("discNumber", tags.discNumber)
            writer.member("comment", tags.comment)
            writer.member("replayGainTrack", tags.replayGain.trackGain)
            writer.member("replayGainAlbum", tags.replayGain.albumGain)
        }
    }
}

/// Addresses of the parts of a player's items, and references that play them again.
struct ItemLinks: Sendable {
    let path: PlayerPath
    let sealed: SealedAddresses
}

extension SealedAddresses {
    /// nil if the shown `uri` plays the item again.
    func needed(for draft: ItemDraft) -> String? {
        let hidesNothing = draft.headers.isEmpty && PublicURI.text(draft.uri) == draft.uri
        return hidesNothing ? nil : reference(to: draft)
    }
}

extension JSONWriter {
    /// Only if it is not the default.
    mutating func members(of source: ItemSource?, reference: String?) {
        if let reference { member("reference", reference) }
        if let source {
            member("source") { writer in
                writer.member("type", source.kind.rawValue)
                writer.member("id", [.list, .podcast].contains(source.kind) ? PublicURI.text(source.id) : source.id)
                writer.member("name", source.name)
            }
        }
    }
}
