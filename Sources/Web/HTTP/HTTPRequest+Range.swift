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
