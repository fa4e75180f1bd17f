// SPDX-License-Identifier: Apache-2.0

internal import Glibc
public import Kernel
public import Playback
internal import Synchronization

/// A regular file, read by position.
public final class FileSource: ByteSource {
    public let name: String
    /// The size at opening: a file that grows plays to here; one that shrinks throws.
    public var size: ByteCount? { openedSize }
    public let isSeekable = true

    private let descriptor: OwnedDescriptor
    private let openedSize: ByteCount
    private let hasBeenClosed = Atomic(false)

    /// Takes ownership of a descriptor of a regular file. Throws `unsupported` if `statSize` exceeds the largest size of a file.
    public init(_ descriptor: consuming OwnedDescriptor, name: String, statSize: Int64) throws(MediaError) {
        guard let size = ByteCount(statSize) else {
            throw MediaError(
                .unsupported, "\(name) cannot be played: it claims \(statSize) bytes, more than any sound file.")
        }
        // Doubles the kernel's read-ahead; a refusal changes nothing but speed.
        posix_fadvise(descriptor.number, 0, 0, POSIX_FADV_SEQUENTIAL)
        self.name = name
        openedSize = size
        self.descriptor = descriptor
    }

    public var isClosed: Bool { hasBeenClosed.load(ordering: .acquiring) }

    public func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(MediaError) -> Int {
        let wanted = min(Int64(buffer.count), openedSize.bytes - offset)
        guard wanted > 0 else { return 0 }
        while true {
            if isClosed { throw MediaError(.cancelled, "\(name) was closed.") }
            let count = pread(descriptor.number, buffer.baseAddress, Int(wanted), off_t(offset))
            if count > 0 { return count }
            if count == 0 { throw MediaError(.unreadable, "\(name) became shorter while it was being read.") }
            let code = errno
            if code != EINTR {
                throw MediaError(.unreadable, "\(name) cannot be read: \(String(cString: strerror(code))).")
            }
        }
    }

    /// Cannot interrupt a read of a local file, which is short; the next read throws.
    public func close() { hasBeenClosed.store(true, ordering: .releasing) }
}

/// A file descriptor that is closed with its owner.
public struct OwnedDescriptor: ~Copyable, Sendable {
    public let number: Int32

    public init(_ number: Int32) { self.number = number }

    deinit { close(number) }

    /// Transfers ownership: the caller closes the descriptor.
    consuming func release() -> Int32 {
        let number = number
        discard self
        return number
    }
}
