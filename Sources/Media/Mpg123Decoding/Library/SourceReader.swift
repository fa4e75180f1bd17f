// SPDX-License-Identifier: Apache-2.0

internal import CMpg123
internal import Glibc
internal import Media
internal import Playback

/// libmpg123's view of a byte source. Has a buffer, because the library searches for frames byte by byte; large reads (tags with pictures)
/// bypass it.
final class SourceReader {
    private static let capacity = 32 * 1_024
    /// Bytes without a frame after which the search ends: more than the largest tag between two frames.
    static let mostWithoutFrame: Int64 = 24 << 20
    /// The library seeks back and forth a little while it searches. A longer seek starts a new search.
    private static let smallJump: Int64 = 1 << 20

    let source: any ByteSource
    /// The error of the last failed read; the library only knows that it failed.
    private(set) var failure: MediaError?
    private(set) var position: Int64 = 0
    /// Byte offset of the last frame found by the library.
    var lastFrame: () -> Int64 = { 0 }
    /// Target of the last long seek.
    private var searchStart: Int64 = 0
    /// Reads fail after this time; nil: no deadline.
    var deadline: ContinuousClock.Instant?
    /// The last read failed because of the deadline.
    private(set) var isTooLate = false

    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: capacity, alignment: 16)
    private var bufferStart: Int64 = 0
    private var bufferCount = 0

    init(_ source: any ByteSource) { self.source = source }

    deinit { buffer.deallocate() }

    /// As read(2).
    func read(_ destination: UnsafeMutableRawPointer, count: Int) -> Int {
        if count == 0 { return 0 }
        do throws(MediaError) {
            if let deadline, ContinuousClock.now >= deadline {
                isTooLate = true
                throw MediaError(.network, "\(source.name) arrives too slowly.")
            }
            if !(bufferStart..<bufferStart + Int64(bufferCount)).contains(position) {
                guard position - max(searchStart, lastFrame()) <= Self.mostWithoutFrame else {
                    throw MediaError(
                        .unreadable,
                        "\(source.name) contains no audio for \(Self.mostWithoutFrame >> 20) MB: it is damaged or incomplete."
                    )
                }
                if count >= Self.capacity {
                    let read = try source.read(
                        into: UnsafeMutableRawBufferPointer(start: destination, count: count), at: position)
                    position += Int64(read)
                    return read
                }
                bufferCount = 0
                bufferCount = try source.read(into: buffer, at: position)
                bufferStart = position
            }
            let offset = Int(position - bufferStart)
            let available = min(count, bufferCount - offset)
            if available > 0 { destination.copyMemory(from: buffer.baseAddress! + offset, byteCount: available) }
            position += Int64(available)
            return available
        } catch {
            failure = error
            return -1
        }
    }

    /// Clears the error of an interrupted read.
    func recover() {
        failure = nil
        isTooLate = false
    }

    /// A read that bypasses the library but fails like one of its own, with the cause in `failure`.
    func reading<Result>(_ body: () throws(MediaError) -> Result) throws(Mpg123Error) -> Result {
        do throws(MediaError) {
            return try body()
        } catch {
            failure = error
            throw Mpg123Error(code: MPG123_ERR_READER.rawValue, call: "read")
        }
    }

    /// As lseek(2); -1 if the source is not seekable.
    func seek(_ offset: off_t, whence: Int32) -> off_t {
        guard source.isSeekable else { return -1 }
        let base: Int64
        switch whence {
        case SEEK_SET: base = 0
        case SEEK_CUR: base = position
        default:
            guard let size = source.size else { return -1 }
            base = size.bytes
        }
        let (target, overflow) = base.addingReportingOverflow(Int64(offset))
        guard !overflow, target >= 0 else { return -1 }
        if abs(target - position) > Self.smallJump { searchStart = target }
        position = target
        return off_t(target)
    }
}
