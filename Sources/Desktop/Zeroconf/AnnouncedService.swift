// SPDX-License-Identifier: Apache-2.0

/// A service as DNS-SD announces it (RFC 6763).
public struct AnnouncedService: Hashable, Sendable {
    /// Of the local network; two services of one type and name get different ones.
    public var name: String
    public var type: String
    public var port: UInt16
    /// `key=value`, each at most 255 bytes.
    public var properties: [String]

    public init(name: String, type: String, port: UInt16, properties: [String]) {
        self.name = name
        self.type = type
        self.port = port
        self.properties = properties
    }

    /// The name of the `number`th service of the same name: a label of 63 bytes at most.
    func label(_ number: Int) -> String {
        let suffix = number > 1 ? " #\(number)" : ""
        return Self.prefix(of: name, bytes: 63 - suffix.utf8.count) + suffix
    }

    /// TXT strings, as bytes.
    var texts: [[UInt8]] { properties.map { Array(Self.prefix(of: $0, bytes: 255).utf8) } }

    private static func prefix(of text: String, bytes: Int) -> String {
        var (short, length) = (String.UnicodeScalarView(), 0)
        for scalar in text.unicodeScalars {
            length += String(scalar).utf8.count
            if length > bytes { break }
            short.append(scalar)
        }
        return String(short)
    }
}
