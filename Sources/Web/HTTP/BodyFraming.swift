// SPDX-License-Identifier: Apache-2.0

internal import Kernel

/// How long a request's body is by its fields (RFC 9112 section 6). Two readers of one connection that understand
/// it differently let a stranger's request through as a part of another's; so whatever could be read in two ways is
/// refused, and the connection with it.
public enum BodyFraming: Hashable, Sendable {
    case none
    case length(UInt64)
    case chunked
    /// 400
    case malformed(String)
    /// 501
    case unknownCoding

    /// From all values of Content-Length and of Transfer-Encoding, which HTTP/1.0 does not know.
    public init(lengths: [String], codings: [String], isHTTP10: Bool = false) {
        guard codings.isEmpty else {
            if isHTTP10 {
                self = .malformed("HTTP/1.0 has no Transfer-Encoding.")
            } else if !lengths.isEmpty {
                self = .malformed("Content-Length and Transfer-Encoding exclude each other.")
            } else {
                let isChunked = codings.count == 1 && codings[0].trimmingSpaces.equalsIgnoringASCIICase("chunked")
                self = isChunked ? .chunked : .unknownCoding
            }
            return
        }
        var found: UInt64?
        for text in lengths {
            let text = text.trimmingSpaces
            guard !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) }), let length = UInt64(text) else {
                self = .malformed("Content-Length must be one whole number.")
                return
            }
            guard found == nil || found == length else {
                self = .malformed("There are several Content-Length fields, and they differ.")
                return
            }
            found = length
        }
        self = found.map { .length($0) } ?? .none
    }
}
