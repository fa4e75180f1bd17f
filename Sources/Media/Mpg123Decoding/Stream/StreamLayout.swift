// SPDX-License-Identifier: Apache-2.0

internal import Media
internal import Playback

/// Locates the frames between the tags, without reading the tags' contents.
struct StreamLayout {
    /// Byte offset after the leading ID3v2 tags.
    var audioStart: Int64 = 0
    /// Byte offset of the trailing ID3v1 or APE tag, or the end; nil for a source of unknown size.
    var audioEnd: Int64?
    /// Size of the largest leading tag.
    var largestTag: Int64 = 0
    /// The Xing, Info or VBRI frame at the start.
    var info: InfoFrame?
    /// The file consists of one frame.
    var isSingleFrame = false

    init(_ source: any ByteSource) throws(MediaError) {
        // Limits the work on a hostile file with many tags.
        for _ in 0..<16 {
            guard let size = VersionTwoTag.size(try source.bytes(at: audioStart, count: 10)) else { break }
            audioStart += size
            largestTag = max(largestTag, size)
        }
        let start = try source.bytes(at: audioStart, count: 512)
        info = InfoFrame(start)
        guard source.isSeekable, let size = source.size else { return }
        // A request for the last bytes would delay the start.
        guard source.isLocal else {
            audioEnd = max(size.bytes, audioStart)
            return
        }
        var end = size.bytes
        if end >= audioStart + 128, try source.bytes(at: end - 128, count: 3).elementsEqual("TAG".utf8) { end -= 128 }
        if end >= audioStart + 32 {
            let footer = try source.bytes(at: end - 32, count: 32)
            if footer.starts(with: "APETAGEX".utf8) {
                let body = (0..<4).reduce(0) { $0 | Int64(footer[12 + $1]) << (8 * Int64($1)) }
                let whole = body + (footer[23] & 0x80 == 0 ? 0 : 32)
                if whole <= end - audioStart { end -= whole }
            }
        }
        audioEnd = max(end, audioStart)
        if info == nil, let size = FrameHeader(start[...])?.size {
            isSingleFrame = (end - audioStart - Int64(size)).magnitude < 4
        }
    }
}
