// SPDX-License-Identifier: Apache-2.0

internal import Kernel

/// A single range of bytes (RFC 9110 section 14).
public struct ByteRange: Hashable, Sendable {
    public var offset: UInt64
    public var length: UInt64

    public init(offset: UInt64, length: UInt64) {
        self.offset = offset
        self.length = length
    }

    public enum Outcome: Hashable, Sendable {
        /// There is no range, there are several, or it is malformed or of another unit: the whole is sent.
        case whole
        case part(ByteRange)
        /// 416 with `Content-Range: bytes */length`.
        case unsatisfiable
    }

    /// Applies a Range field to a representation of `total` bytes.
    public static func resolve(_ field: String?, total: UInt64) -> Outcome {
        guard let field, field.utf8.count > 6, field.prefix(6).equalsIgnoringASCIICase("bytes=") else { return .whole }
        let parts = field.dropFirst(6).trimmingSpaces.split(
            separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return .whole }
        let last = number(parts[1])
        if parts[0].isEmpty {
            guard let suffix = last else { return .whole }
            guard suffix > 0, total > 0 else { return .unsatisfiable }
            let length = min(suffix, total)
            return .part(ByteRange(offset: total - length, length: length))
        }
        guard let first = number(parts[0]), parts[1].isEmpty || last.map({ first <= $0 }) == true else { return .whole }
        guard first < total else { return .unsatisfiable }
        return .part(ByteRange(offset: first, length: min(last ?? .max, total - 1) - first + 1))
    }

    /// The value of Content-Range.
    public func contentRange(total: UInt64) -> String { "bytes \(offset)-\(offset + length - 1)/\(total)" }

    /// A number that exceeds 64 bits is larger than every file.
    private static func number(_ text: Substring) -> UInt64? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
        return UInt64(text) ?? .max
    }
}

extension HTTPRequest {
    /// The requested range of a representation of `total` bytes. The whole is sent for methods other than GET (RFC 9110
    /// section 14.2), for several Range fields, and if `If-Range` does not name this version (section 13.1.5).
    public func range(total: UInt64, tag: EntityTag?) -> ByteRange.Outcome {
        let fields = headers.values("Range")
        guard method == .get, fields.count == 1 else { return .whole }
        for condition in headers.values("If-Range") {
            guard let tag, EntityTag(parsing: condition)?.matchesStrongly(tag) == true else { return .whole }
        }
        return ByteRange.resolve(fields[0], total: total)
    }
}
