// SPDX-License-Identifier: Apache-2.0

/// Where FFmpeg's bytes come from. It decouples the reading of media from the socket to the server.
public protocol SourceBytes: AnyObject {
    /// Blocks until there is at least one byte; 0 at the end, nil when they cannot be read.
    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) -> Int?
}
