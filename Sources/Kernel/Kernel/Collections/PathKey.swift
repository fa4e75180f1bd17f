// SPDX-License-Identifier: Apache-2.0

/// A path as a set's element or a dictionary's key, compared byte by byte as file systems do. Strings compare by Unicode
/// equivalence: an é of one code point equals an é of two.
public struct PathKey: Hashable, Sendable, ExpressibleByStringLiteral {
    public let path: String

    public init(_ path: String) { self.path = path }
    public init(stringLiteral path: String) { self.init(path) }

    public static func == (left: PathKey, right: PathKey) -> Bool { left.path.utf8.elementsEqual(right.path.utf8) }

    public func hash(into hasher: inout Hasher) {
        var path = path
        path.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        hasher.combine(0 as UInt8)
    }
}
