// SPDX-License-Identifier: Apache-2.0

internal import CMicrohttpd

/// A large answer that is sent from where it was made: a slow reader holds no copy of it. On the connection's thread.
final class LargeBody {
    private let bytes: [UInt8]

    private init(_ bytes: [UInt8]) { self.bytes = bytes }

    static func response(_ bytes: [UInt8]) -> OpaquePointer? {
        let body = Unmanaged.passRetained(LargeBody(bytes))
        let handle = cmicrohttpd_read_response(
            bytes.count, 16 * 1024,
            { context, position, buffer, capacity in
                guard let context, let buffer else { return cmicrohttpd_end_of_stream }
                return Unmanaged<LargeBody>.fromOpaque(context).takeUnretainedValue()
                    .read(
                        at: Int(clamping: position), into: UnsafeMutableRawBufferPointer(start: buffer, count: capacity)
                    )
            }, body.toOpaque(),
            { context in
                if let context { Unmanaged<LargeBody>.fromOpaque(context).release() }
            })
        if handle == nil { body.release() }
        return handle
    }

    private func read(at position: Int, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let rest = bytes[min(position, bytes.count)...].prefix(buffer.count)
        rest.withUnsafeBytes { buffer.copyMemory(from: $0) }
        return rest.count
    }
}
