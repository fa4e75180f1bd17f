// SPDX-License-Identifier: Apache-2.0

internal import CFFmpeg
internal import Glibc
internal import MediaWorkerProtocol

/// FFmpeg's view of the source: an AVIOContext whose callbacks ask for bytes.
final class SourceInput {
    private static let bufferSize = 32 << 10

    let description: WorkerSource
    /// A read failed: what FFmpeg reports then is only the consequence.
    private(set) var hasFailed = false
    /// Bytes that may still be read before the end is reported; nil without a limit.
    var allowance: Int?
    private let bytes: any SourceBytes
    private var position: Int64 = 0
    private(set) var context: UnsafeMutablePointer<AVIOContext>

    init(_ bytes: any SourceBytes, _ description: WorkerSource) throws(WorkerFailure) {
        self.bytes = bytes
        self.description = description
        // With the callbacks from the start: a context made without one takes its buffer for the data.
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
        // It outlives the context, which is freed with it.
        context.pointee.opaque = Unmanaged.passUnretained(self).toOpaque()
        context.pointee.seekable = description.isSeekable ? AVIO_SEEKABLE_NORMAL : 0
    }

    deinit {
        // The library may have put another buffer in place of the first one.
        av_free(context.pointee.buffer)
        var freed: UnsafeMutablePointer<AVIOContext>? = context
        avio_context_free(&freed)
    }

    /// After a read that was interrupted.
    func recover() {
        hasFailed = false
        context.pointee.error = 0
        context.pointee.eof_reached = 0
    }

    /// `count` bytes from `offset` on, beside FFmpeg's own reading; nil when they are not there.
    func bytes(at offset: Int64, _ count: Int) -> [UInt8]? {
        var found = [UInt8](repeating: 0, count: count)
        let isThere = found.withUnsafeMutableBytes { buffer in
            var filled = 0
            while filled < count {
                let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
                guard let got = bytes.read(at: offset + Int64(filled), into: rest), got > 0 else { return false }
                filled += got
            }
            return true
        }
        return isThere ? found : nil
    }

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
    static let outOfMemory = WorkerFailure(.unsupported, "it would need more memory than a file may take")
}
