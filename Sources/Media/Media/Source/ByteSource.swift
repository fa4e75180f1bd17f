// SPDX-License-Identifier: Apache-2.0

public import Kernel
public import Playback

/// The bytes of one file or stream. The protocol decouples decoders from the origin of the bytes: a file, the network or the cache.
///
/// `read` is called on one decode thread and may block; any thread may call `close`.
public protocol ByteSource: AnyObject, Sendable {
    /// The name in messages: of a file, or of a host.
    var name: String { get }

    /// Total bytes; nil while unknown (live). A network source knows it after the first read.
    var size: ByteCount? { get }

    /// Whether any offset can be read. A source that is not seekable serves rising offsets only, but its first 64 KB stay readable
    /// for format detection.
    var isSeekable: Bool { get }

    /// Whether random access is cheap. A decoder reads any other source in order, and no more of it than necessary.
    var isLocal: Bool { get }

    /// Whether `close` was called, for a decoder that waits for something other than this source. Any thread may call this.
    var isClosed: Bool { get }

    /// Reads up to `buffer.count` bytes from `offset` (at least 0) on. Blocks until there is at least one.
    /// Returns their number; 0 at the end. Throws `unreadable`, `network`, or `cancelled` after `close`.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(MediaError) -> Int

    /// Ends a blocked read and every later one. Idempotent.
    func close()
}

extension ByteSource {
    public var isLocal: Bool { true }
    /// By default a close is noticed at the next read.
    public var isClosed: Bool { false }

    /// Up to `count` bytes at `offset`, fewer only at the end.
    public func bytes(at offset: Int64, count: Int) throws(MediaError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        // The closure of an array's buffer cannot throw a typed error.
        let result: Result<Int, MediaError> = bytes.withUnsafeMutableBytes { buffer in
            Result { () throws(MediaError) in
                var filled = 0
                while filled < count {
                    let read = try self.read(
                        into: UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]), at: offset + Int64(filled))
                    if read == 0 { break }
                    filled += read
                }
                return filled
            }
        }
        try bytes.removeLast(count - result.get())
        return bytes
    }

    /// All bytes from `start` on. Throws `unsupported` if there are more than `limit`: "too large for \(purpose)".
    func whole(from start: Int64 = 0, limit: Int, as purpose: String) throws(MediaError) -> [UInt8] {
        let piece = 64 << 10
        var bytes: [UInt8] = []
        if let size { bytes.reserveCapacity(Int(max(0, min(size.bytes - start, Int64(limit)))) + 1) }
        while bytes.count <= limit {
            let part = try self.bytes(at: start + Int64(bytes.count), count: piece)
            bytes += part
            if part.count < piece { break }
        }
        guard bytes.count <= limit else { throw .tooLarge(name, for: purpose, limit: limit) }
        return bytes
    }
}

extension MediaError {
    /// `limit` in bytes.
    static func tooLarge(_ name: String, for purpose: String, limit: Int) -> MediaError {
        let most = limit >> 20 > 0 ? "\(limit >> 20) MB" : "\(limit) bytes"
        return MediaError(.unsupported, "\(name) is too large for \(purpose) (\(most) at most).")
    }
}
