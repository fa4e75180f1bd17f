// SPDX-License-Identifier: Apache-2.0

internal import Kernel

/// Tokens, such as methods and field names (RFC 9110 section 5.6.2).
public enum HTTPToken {
    /// Whether a token may contain the byte.
    public static func contains(_ byte: UInt8) -> Bool {
        PercentEncoding.isAlphanumeric(byte) || "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
}

extension HTTPMethod {
    public var isToken: Bool { !rawValue.isEmpty && rawValue.utf8.allSatisfy(HTTPToken.contains) }
}
