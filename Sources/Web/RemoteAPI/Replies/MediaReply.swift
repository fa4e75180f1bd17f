// SPDX-License-Identifier: Apache-2.0

import Playback
import Service

extension JSONWriter {
    /// `GET /media/info`
    mutating func members(of media: MediaDescription, uri: String) {
        member("uri", uri)
        member("duration", media.duration.map(media.format.seconds))
        member("picture", media.tags.picture) { writer, picture in
            writer.member("type", picture.mimeType)
            writer.member("bytes", picture.bytes.count)
        }
        lyricsMember(of: media, uri: uri)
        mediaMembers(of: media)
    }

    /// `GET /media/list`: what a playlist comes to, without the secrets in its addresses.
    mutating func members(of list: ListContent, uri: String) {
        member("uri", PublicURI.text(uri))
        member("length", list.items.count)
        member("truncated", list.isTruncated)
        member("items", array: list.items[...]) { writer, item in
            writer.object {
                $0.member("uri", PublicURI.text(item.uri))
                $0.member("title", item.title)
                $0.member("artist", item.artist)
                $0.member("album", item.album)
                $0.member("artworkUri", item.artworkURI.map(PublicURI.text))
                $0.members(of: item.reach)
            }
        }
    }

    /// `GET /browse`: a window of a folder.
    mutating func members(of folder: MusicListing, offset: Int, limit: Int) {
        member("path", folder.path)
        member("parent", folder.parent)
        member("length", folder.entries.count)
        member("truncated", folder.isTruncated)
        member("offset", offset)
        member("entries", array: folder.entries.dropFirst(offset).prefix(limit)) { writer, entry in
            writer.object {
                $0.member("type", entry.kind.rawValue)
                $0.member("name", entry.name)
                $0.member("path", entry.path)
                $0.member("size", entry.size)
            }
        }
    }
}
