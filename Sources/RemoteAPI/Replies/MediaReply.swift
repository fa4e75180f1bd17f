// SPDX-License-Identifier: Apache-2.0

import Playback

extension JSONWriter {
    /// `GET /media/info`
    mutating func members(of media: MediaDescription, uri: String) {
        member("uri", uri)
        member("duration", media.duration.map(media.format.seconds))
        member("picture", media.tags.picture) { writer, picture in
            writer.member("type", picture.mimeType)
            writer.member("bytes", picture.bytes.count)
        }
        mediaMembers(of: media)
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
                $0.member("type", entry.isFolder ? "folder" : "file")
                $0.member("name", entry.name)
                $0.member("path", entry.path)
                $0.member("size", entry.size)
            }
        }
    }
}
