// SPDX-License-Identifier: Apache-2.0

public import Playback
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
        member("items", objects: list.items) { writer, item in
            writer.member("uri", PublicURI.text(item.uri))
            writer.member("title", item.title)
            writer.member("artist", item.artist)
            writer.member("album", item.album)
            writer.member("artworkUri", item.artworkURI.map(PublicURI.text))
            writer.members(of: item.reach)
        }
    }

    /// `GET /browse`: a window of a folder.
    mutating func members(of folder: MusicListing, offset: Int, limit: Int) {
        member("path", folder.path)
        member("parent", folder.parent)
        member("length", folder.entries.count)
        member("truncated", folder.isTruncated)
        member("offset", offset)
        member("entries", objects: folder.entries.dropFirst(offset).prefix(limit)) { writer, entry in
            writer.member("type", entry.kind.rawValue)
            writer.member("name", entry.name)
            writer.member("path", entry.path)
            writer.member("size", entry.size)
        }
    }
}

/// The answer of `GET /media/info`, for programs that describe media without a server.
public enum MediaDocument {
    public static func json(of media: MediaDescription, uri: String) -> [UInt8] {
        JSONWriter.object { $0.members(of: media, uri: uri) }
    }
}
