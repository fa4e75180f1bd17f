// SPDX-License-Identifier: Apache-2.0

internal import Media
internal import Kernel
internal import Playback

/// The leading ID3v2 tag without its large frames (pictures, attachments), so that a library scan reads kilobytes instead of megabytes.
/// libmpg123 parses the remaining frames.
struct PicturelessTag {
    /// Bytes; larger text frames are not needed for a catalogue.
    private static let largestFrame: Int64 = 16 * 1_024
    private static let maximumFrames = 512

    /// A tag to replace the original one; nil if nothing was left out.
    private(set) var replacement: [UInt8]?
    /// Bytes of the original tag.
    let size: Int64
    private(set) var hasPicture = false

    /// nil without a tag, or if the tag must be read as a whole (unsynchronised, or with an extended header).
    init?(_ source: any ByteSource) throws(MediaError) {
        let head = try source.bytes(at: 0, count: 10)
        guard let size = VersionTwoTag.size(head), (2...4).contains(head[3]), head[5] & 0xC0 == 0 else { return nil }
        self.size = size
        let isShort = head[3] == 2
        var window = Window(source: source, end: 10 + head[6...9].reduce(Int64(0)) { $0 << 7 | Int64($1) })
        var kept: [UInt8] = []
        var isCut = false
        var offset: Int64 = 10
        let headerSize = isShort ? 6 : 10
        for _ in 0..<Self.maximumFrames {
            guard let header = try window.bytes(at: offset, count: headerSize),
                Self.isID(header.prefix(isShort ? 3 : 4))
            else { break }
            let length: Int64 =
                if isShort {
                    header[3...5].reduce(0) { $0 << 8 | Int64($1) }
                } else if head[3] == 4 {
                    header[4...7].reduce(0) { $0 << 7 | Int64($1 & 0x7F) }
                } else {
                    header[4...7].reduce(0) { $0 << 8 | Int64($1) }
                }
            let isPicture = header.starts(with: (isShort ? "PIC" : "APIC").utf8)
            if isPicture, length > 16 { hasPicture = true }
            if isPicture || length > Self.largestFrame {
                isCut = true
            } else {
                guard let content = try window.bytes(at: offset + Int64(headerSize), count: Int(length)) else { break }
                kept += header
                kept += content
            }
            offset += Int64(headerSize) + length
        }
        guard isCut else { return }
        let body = kept.count
        let sizes = [21, 14, 7, 0].map { UInt8(body >> $0 & 0x7F) }
        // Clear the footer flag, as the new tag has none.
        replacement = Array(head[0...4]) + [head[5] & 0xEF] + sizes + kept
    }

    private static func isID(_ id: some Sequence<UInt8>) -> Bool {
        id.allSatisfy { (0x41...0x5A).contains($0) || (0x30...0x39).contains($0) }
    }

    /// Reads in blocks of 4 KB, so that a tag of many small frames needs few calls.
    private struct Window {
        let source: any ByteSource
        let end: Int64
        private var start: Int64 = 0
        private var piece: [UInt8] = []

        init(source: any ByteSource, end: Int64) {
            self.source = source
            self.end = end
        }

        /// nil beyond the end of the tag or file.
        mutating func bytes(at offset: Int64, count: Int) throws(MediaError) -> ArraySlice<UInt8>? {
            guard offset + Int64(count) <= end else { return nil }
            if offset < start || offset + Int64(count) > start + Int64(piece.count) {
                start = offset
                piece = try source.bytes(at: offset, count: max(count, Int(min(4_096, end - offset))))
            }
            let first = Int(offset - start)
            guard first + count <= piece.count else { return nil }
            // A copy, so that indices start at 0.
            return Array(piece[first..<first + count])[...]
        }
    }
}

/// A source with another beginning.
final class RetaggedSource: ByteSource {
    let name: String
    let size: ByteCount?
    let isSeekable: Bool
    var isLocal: Bool { base.isLocal }

    private let base: any ByteSource
    private let head: [UInt8]
    /// Added to offsets after the head, for offsets in `base`.
    private let shift: Int64

    /// `head` replaces the first `replaced` bytes of `base`.
    init(_ base: any ByteSource, head: [UInt8], replacing replaced: Int64) {
        self.base = base
        self.head = head
        shift = replaced - Int64(head.count)
        name = base.name
        size = base.size.flatMap { ByteCount(max(0, $0.bytes - replaced + Int64(head.count))) }
        isSeekable = base.isSeekable
    }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(MediaError) -> Int {
        guard offset < head.count else { return try base.read(into: buffer, at: offset + shift) }
        let part = head[Int(offset)...].prefix(buffer.count)
        buffer.copyBytes(from: part)
        return part.count
    }

    func close() { base.close() }
}
