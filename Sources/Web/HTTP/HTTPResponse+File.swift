// SPDX-License-Identifier: Apache-2.0

internal import Glibc

extension HTTPResponse {
    /// A file of `total` bytes, or the requested range of it; 416 for a range beyond its end.
    public init(file: OpenFile, total: UInt64, tag: EntityTag, headers: HTTPHeaders, answering request: HTTPRequest) {
        var headers = headers
        headers.add("Accept-Ranges", "bytes")
        switch request.range(total: total, tag: tag) {
        case .whole:
            self.init(status: 200, headers: headers, body: .file(file, offset: 0, length: total))
        case .part(let range):
            headers.add("Content-Range", range.contentRange(total: total))
            self.init(
                status: 206, headers: headers,
                body: .file(file, offset: range.offset, length: range.length))
        case .unsatisfiable:
            headers.add("Content-Range", "bytes */\(total)")
            self.init(status: 416, headers: headers)
        }
    }
}

/// A file that is open for reading; closed with the last reference to it.
public final class OpenFile: Sendable {
    public let descriptor: Int32

    /// Takes ownership of `descriptor`.
    public init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }
}
