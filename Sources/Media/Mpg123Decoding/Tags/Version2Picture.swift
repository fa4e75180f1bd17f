// SPDX-License-Identifier: Apache-2.0

internal import Media
internal import Playback

/// Reads the picture of an ID3v2.2 tag (PIC frame), which libmpg123 ignores and iTunes wrote for years.
enum Version2Picture {
    static func find(in source: any ByteSource) throws(MediaError) -> MediaDescription.Picture? {
        let head = try source.bytes(at: 0, count: 10)
        // In practice there are no unsynchronised or compressed tags of this version.
        guard let size = VersionTwoTag.size(head), head[3] == 2, head[5] == 0, size <= Mpg123Decoder.largestTag else {
            return nil
        }
        var fallback: MediaDescription.Picture?
        var offset: Int64 = 10
        for _ in 0..<256 where offset + 6 < size {
            let frame = try source.bytes(at: offset, count: 6)
            guard frame.count == 6, frame[0] != 0 else { break }
            let length = frame[3...5].reduce(Int64(0)) { $0 << 8 | Int64($1) }
            if frame.starts(with: "PIC".utf8), length > 6, offset + 6 + length <= size {
                let content = try source.bytes(at: offset + 6, count: Int(length))
                if let picture = picture(content) {
                    if content[4] == 3 { return picture }
                    fallback = fallback ?? picture
                }
            }
            offset += 6 + length
        }
        return fallback
    }

    /// Encoding, three letters of format, type, description, bytes (ID3v2.2, 4.15).
    private static func picture(_ content: [UInt8]) -> MediaDescription.Picture? {
        guard content.count > 6 else { return nil }
        var start = 5
        if content[0] == 1 {
            while start + 1 < content.count, content[start] != 0 || content[start + 1] != 0 { start += 2 }
            start += 2
        } else {
            while start < content.count, content[start] != 0 { start += 1 }
            start += 1
        }
        guard start < content.count, content.count - start <= MediaDescription.Picture.maximumSize,
            let format = PictureFormat(content[start...])
        else { return nil }
        return MediaDescription.Picture(mimeType: format.mediaType, bytes: Array(content[start...]))
    }
}
