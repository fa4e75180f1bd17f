// SPDX-License-Identifier: Apache-2.0

internal import Kernel

/// What methods, field names and the like are made of (RFC 9110 section 5.6.2).
public enum HTTPToken {
    /// Whether the byte may stand in a token.
    public static func contains(_ byte: UInt8) -> Bool {
        PercentEncoding.isAlphanumeric(byte) || "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
}

extension HTTPMethod {
    public var isToken: Bool { !rawValue.isEmpty && rawValue.utf8.allSatisfy(HTTPToken.contains) }
}
