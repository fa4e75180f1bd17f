// SPDX-License-Identifier: Apache-2.0

/// The source of FFmpeg's bytes. The protocol decouples media reading from the socket to the server.
protocol SourceBytes: AnyObject {
    /// Reads at least one byte, blocking until it is available. Returns the number; 0 at the end, nil on failure.
    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) -> Int?
}

extension SourceBytes {
    /// Exactly `count` bytes from `offset` on; nil if they are not all available.
    func bytes(at offset: Int64, _ count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        var filled = 0
        while filled < count {
            let got = bytes.withUnsafeMutableBytes {
                read(at: offset + Int64(filled), into: UnsafeMutableRawBufferPointer(rebasing: $0[filled...]))
            }
            guard let got, got > 0 else { return nil }
            filled += got
        }
        return bytes
    }
}
