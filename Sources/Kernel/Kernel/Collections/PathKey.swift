// SPDX-License-Identifier: Apache-2.0

/// A path in a set or dictionary: equal by bytes, as the file system has it. Strings compare by Unicode equivalence, so that an é in
/// one code point and one in two are the same.
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
