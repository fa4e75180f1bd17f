// SPDX-License-Identifier: Apache-2.0

internal import CMicrohttpd

/// Bounds the framing of one chunked body: libmicrohttpd limits the extensions of each chunk, but not of all. On the
/// connection's thread.
struct ChunkedFraming {
    /// Framing bytes for each byte of content; a chunk of one byte needs 5.
    private static let ratio: Int64 = 16
    /// Framing bytes that are always allowed.
    private static let slack: Int64 = 1 << 20
    /// Pieces of content between two looks at the socket, each with less than 32 KB of framing.
    private static let interval = 64

    /// The connection's received bytes when the body began.
    private let start: Int64
    private var content: Int64 = 0
    private var pieces = 0

    init(_ connection: OpaquePointer) { start = cmicrohttpd_received(connection) }

    /// Counts a piece of content. False if the connection must be closed. Unix sockets are not limited, as the kernel does
    /// not count their bytes.
    mutating func allows(_ count: Int, on connection: OpaquePointer) -> Bool {
        content += Int64(count)
        pieces += 1
        guard pieces % Self.interval == 0 else { return true }
        return cmicrohttpd_received(connection) - start - content <= Self.ratio * content + Self.slack
    }
}
