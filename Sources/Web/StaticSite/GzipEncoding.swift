// SPDX-License-Identifier: Apache-2.0

internal import CZlib

enum GzipEncoding {
    /// nil when zlib fails or the result is not smaller by a tenth, so that it would not pay.
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
