// SPDX-License-Identifier: Apache-2.0

public import Media
public import Playback

/// MPEG audio, layers I to III.
public struct Mpg123DecoderFactory: DecoderFactory {
    public init() {}

    public func recognises(_ head: [UInt8], of source: any ByteSource) throws(MediaError) -> Bool {
        if let size = source.size, size == 128, head.starts(with: "TAG".utf8) { return true }
        if let size = VersionTwoTag.size(head) {
            // Other formats may have ID3v2 tags as well.
            return FileSignature(try source.bytes(at: size, count: 64)) == nil
        }
        guard FileSignature(head) == nil else { return false }
        // Try the head first: a station would have to send the rest of the 64 KB.
        if FrameHeader.find(in: head) != nil { return true }
        return FrameHeader.find(in: try source.bytes(at: 0, count: 64 * 1_024)) != nil
    }

    public func open(_ source: any ByteSource) throws(MediaError) -> any AudioDecoder {
        try Mpg123Decoder(source)
    }

    public func outline(_ source: any ByteSource) throws(MediaError) -> MediaOutline {
        guard let tag = try PicturelessTag(source) else {
            return MediaOutline(
                media: try Mpg123Decoder(source, isOutline: true).media,
                hasPicture: VersionTwoTag.size(try source.bytes(at: 0, count: 10)).map { $0 > 4_096 } ?? false)
        }
        let slim = tag.replacement.map { RetaggedSource(source, head: $0, replacing: tag.size) }
        return MediaOutline(
            media: try Mpg123Decoder(slim ?? source, isOutline: true).media, hasPicture: tag.hasPicture)
    }

    public func lyrics(in source: any ByteSource) throws(MediaError) -> String? {
        try TagReader.lyrics(in: source)
    }
}
