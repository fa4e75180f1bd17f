// SPDX-License-Identifier: Apache-2.0

internal import CFFmpeg
internal import Glibc
internal import MediaWorkerProtocol

/// FFmpeg's view of the source: an AVIOContext whose callbacks read from `SourceBytes`.
final class SourceInput {
    private static let bufferSize = 32 << 10

    let description: WorkerSource
    /// A read has failed, so errors from FFmpeg are only a consequence.
    private(set) var hasFailed = false
    /// Bytes left to read before the end is reported; nil: no limit.
    var allowance: Int?
    private let bytes: any SourceBytes
    private var position: Int64 = 0
    private(set) var context: UnsafeMutablePointer<AVIOContext>

    init(_ bytes: any SourceBytes, _ description: WorkerSource) throws(WorkerFailure) {
        self.bytes = bytes
        self.description = description
        // Pass the callbacks at creation: without them the context treats its buffer as the data.
        guard let buffer = av_malloc(Self.bufferSize),
            let made = avio_alloc_context(
                buffer.assumingMemoryBound(to: UInt8.self), Int32(Self.bufferSize), 0, nil,
                { opaque, buffer, count in
                    guard let opaque, let buffer else { return cffmpeg_end_of_file }
                    return Unmanaged<SourceInput>.fromOpaque(opaque).takeUnretainedValue().read(buffer, Int(count))
                }, nil,
                { opaque, offset, whence in
                    guard let opaque else { return -1 }
                    return Unmanaged<SourceInput>.fromOpaque(opaque).takeUnretainedValue().seek(offset, whence)
                })
        else { throw .outOfMemory }
        context = made
        // This object outlives the context.
        context.pointee.opaque = Unmanaged.passUnretained(self).toOpaque()
        context.pointee.seekable = description.isSeekable ? AVIO_SEEKABLE_NORMAL : 0
    }

    deinit {
        // The library may have replaced the buffer.
        av_free(context.pointee.buffer)
        release(context, avio_context_free)
    }

    /// Clears the error of an interrupted read.
    func recover() {
        hasFailed = false
        context.pointee.error = 0
        context.pointee.eof_reached = 0
    }

    func check() throws(WorkerFailure) { if hasFailed { throw .readFailed } }

    /// Exactly `count` bytes from `offset` on, independent of FFmpeg's own reads; nil if they are not all available.
    func bytes(at offset: Int64, _ count: Int) -> [UInt8]? { bytes.bytes(at: offset, count) }

    private func read(_ buffer: UnsafeMutablePointer<UInt8>, _ count: Int) -> Int32 {
        guard count > 0 else { return 0 }
        if let allowance, allowance <= 0 { return cffmpeg_end_of_file }
        guard let got = bytes.read(at: position, into: UnsafeMutableRawBufferPointer(start: buffer, count: count))
        else {
            hasFailed = true
            return -EIO
        }
        position += Int64(got)
        allowance = allowance.map { $0 - got }
        return got == 0 ? cffmpeg_end_of_file : Int32(got)
    }

    private func seek(_ offset: Int64, _ whence: Int32) -> Int64 {
        let base: Int64
        guard description.isSeekable || whence & cffmpeg_seek_size != 0 else { return -Int64(ESPIPE) }
        switch whence & 0xFFFF {
        case cffmpeg_seek_size & 0xFFFF where whence & cffmpeg_seek_size != 0: return description.size ?? -Int64(ENOSYS)
        case SEEK_SET: base = 0
        case SEEK_CUR: base = position
        case SEEK_END:
            guard let size = description.size else { return -Int64(ENOSYS) }
            base = size
        default: return -Int64(EINVAL)
        }
        let (target, overflow) = base.addingReportingOverflow(offset)
        guard !overflow, target >= 0 else { return -Int64(EINVAL) }
        position = target
        return target
    }
}

extension WorkerFailure {
    static let readFailed = WorkerFailure(.source, "reading failed")
    static let outOfMemory = WorkerFailure(.unsupported, "it would need more memory than a file may take")
}
