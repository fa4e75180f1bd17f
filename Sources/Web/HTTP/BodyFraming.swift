// SPDX-License-Identifier: Apache-2.0

internal import Kernel

/// The length of a request's body according to its fields (RFC 9112 section 6). If a proxy and this server disagree
/// about it, a client can smuggle a request into another client's connection, so ambiguous fields are rejected and the
/// connection is closed.
public enum BodyFraming: Hashable, Sendable {
    case none
    case length(UInt64)
    case chunked
    /// 400
    case malformed(String)
    /// 501
    case unknownCoding

    /// `lengths` and `codings`: all values of Content-Length and of Transfer-Encoding. HTTP/1.0 has no
    /// Transfer-Encoding.
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
