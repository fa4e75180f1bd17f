// SPDX-License-Identifier: Apache-2.0

public import Kernel
public import Playback

/// The bytes of one media. It decouples decoders from where the bytes come from: a file now, a network stream or its
/// cache as well.
///
/// `read` is called from one decode thread and may block there; `close` comes from any thread.
public protocol ByteSource: AnyObject, Sendable {
    /// Its name in messages: a file name, a host.
    var name: String { get }

    /// Bytes in all; nil while unknown (live). Of a network source known once something was read.
    var size: ByteCount? { get }

    /// Whether any offset may be read. One that is not seekable serves rising offsets only, but keeps its first 64 KB
    /// readable, so that recognising what it is costs nothing.
    var isSeekable: Bool { get }

    /// Whether reading here and there costs next to nothing. A decoder reads any other source in order, and no more of it
    /// than it must.
    var isLocal: Bool { get }

    /// Whether `close` was called: for a decoder that waits for something else than this source. From any thread.
    var isClosed: Bool { get }

    /// Reads up to `buffer.count` bytes from `offset` (at least 0) on, blocking until there is at least one.
    /// Returns how many; 0 at the end. Throws `unreadable`, `network`, or `cancelled` after `close`.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(MediaError) -> Int

    /// Ends a blocked read and every later one. Idempotent.
    func close()
}

extension ByteSource {
    public var isLocal: Bool { true }
    /// Noticed at the next read, then.
    public var isClosed: Bool { false }

    /// Up to `count` bytes at `offset`, fewer only at the end.
    public func bytes(at offset: Int64, count: Int) throws(MediaError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var filled = 0
        var failure: MediaError?
        // The closure of an array's buffer cannot throw a typed error.
        bytes.withUnsafeMutableBytes { buffer in
            do throws(MediaError) {
                while filled < count {
                    let read = try self.read(
                        into: UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]), at: offset + Int64(filled))
                    if read == 0 { break }
                    filled += read
                }
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        bytes.removeLast(count - filled)
        return bytes
    }

    /// All bytes from `start` on; nil when there are more than `limit`.
    func whole(from start: Int64 = 0, limit: Int) throws(MediaError) -> [UInt8]? {
        let piece = 64 << 10
        var bytes: [UInt8] = []
        if let size { bytes.reserveCapacity(Int(max(0, min(size.bytes - start, Int64(limit)))) + 1) }
        while bytes.count <= limit {
            let part = try self.bytes(at: start + Int64(bytes.count), count: piece)
            bytes += part
            if part.count < piece { break }
        }
        return bytes.count <= limit ? bytes : nil
    }
}
