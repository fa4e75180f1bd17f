// SPDX-License-Identifier: Apache-2.0

import CZlib
import Glibc
import HTTP
import Kernel
import Synchronization

extension EntityTag {
    /// Identifies one version of a file.
    init(_ status: stat) {
        let numbers = [Int(bitPattern: status.st_ino), status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec]
        self.init(numbers.map { String(UInt(bitPattern: $0), radix: 16) }.joined(separator: "-"))
    }
}

/// Contents of small files, original and compressed, within a limit.
final class StaticFileCache: Sendable {
    struct Content: Sendable {
        var bytes: SharedBytes
        var isGzip: Bool
    }

    private struct Key: Hashable {
        var path: String
        var gzip: Bool
    }

    private let entries = Mutex(RecentlyUsed<Key, (version: EntityTag, content: Content)>(capacity: 8 << 20))

    /// `read` is called without the lock. Content that does not shrink is used uncompressed for gzip, too.
    func content(path: String, version: EntityTag, gzip: Bool, read: () -> [UInt8]?) -> Content? {
        let key = Key(path: path, gzip: gzip)
        if let entry = entries.withLock({ $0[key] }), entry.version == version { return entry.content }
        guard let bytes = read() else { return nil }
        let compressed = gzip ? GzipEncoding.compress(bytes) : nil
        let content = Content(bytes: SharedBytes(compressed ?? bytes), isGzip: compressed != nil)
        entries.withLock { $0.insert((version, content), for: key, size: content.bytes.bytes.count) }
        return content
    }
}

enum GzipEncoding {
    /// nil if zlib fails, or if compression saves less than a tenth.
    static func compress(_ bytes: [UInt8]) -> [UInt8]? {
        var stream = z_stream()
        guard czlib_start_gzip(&stream, 9) == Z_OK else { return nil }
        defer { deflateEnd(&stream) }
        var input = bytes
        let capacity = Int(deflateBound(&stream, UInt(bytes.count)))
        let output = [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
            input.withUnsafeMutableBufferPointer { input in
                stream.next_in = input.baseAddress
                stream.avail_in = UInt32(input.count)
                stream.next_out = buffer.baseAddress
                stream.avail_out = UInt32(buffer.count)
                count = deflate(&stream, Z_FINISH) == Z_STREAM_END ? Int(stream.total_out) : 0
            }
        }
        return output.isEmpty || output.count > bytes.count / 10 * 9 ? nil : output
    }
}
