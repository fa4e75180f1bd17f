// SPDX-License-Identifier: Apache-2.0

extension HTTPRequest {
    /// The requested range of a representation of `total` bytes. The whole is sent for methods other than GET (RFC 9110
    /// section 14.2), for several Range fields, and if `If-Range` does not name this version (section 13.1.5).
    public func range(total: UInt64, tag: EntityTag?) -> ByteRange.Outcome {
        let fields = headers.values("Range")
        guard method == .get, fields.count == 1 else { return .whole }
        if let condition = headers["If-Range"] {
            guard let tag, EntityTag(parsing: condition)?.matchesStrongly(tag) == true else { return .whole }
        }
        return ByteRange.resolve(fields[0], total: total)
    }
}

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
