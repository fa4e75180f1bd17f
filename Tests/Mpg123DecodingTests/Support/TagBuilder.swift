// SPDX-License-Identifier: Apache-2.0

/// Builds ID3v2 tags byte by byte, including invalid ones.
struct TagBuilder {
    static let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + [UInt8](repeating: 7, count: 100)
    static let jpeg: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0] + [UInt8](repeating: 9, count: 100)

    /// 2, 3 or 4
    var version: UInt8
    private var body: [UInt8] = []

    init(version: UInt8) {
        self.version = version
    }

    func frame(_ id: String, _ content: [UInt8]) -> TagBuilder {
        var copy = self
        copy.body += Array(id.utf8)
        if version == 2 {
            copy.body += Self.big(content.count).dropFirst()
        } else {
            copy.body += (version == 4 ? Self.syncSafe(content.count) : Self.big(content.count)) + [0, 0]
        }
        copy.body += content
        return copy
    }

    func text(_ id: String, _ encoding: UInt8, _ bytes: [UInt8]) -> TagBuilder { frame(id, [encoding] + bytes) }

    func extra(_ name: String, _ value: String) -> TagBuilder {
        frame("TXXX", [0] + Array(name.utf8) + [0] + Array(value.utf8))
    }

    func picture(_ type: UInt8, _ bytes: [UInt8], claims mime: String = "image/jpeg") -> TagBuilder {
        frame("APIC", [0] + Array(mime.utf8) + [0, type, 0] + bytes)
    }

    var bytes: [UInt8] { Array("ID3".utf8) + [version, 0, 0] + Self.syncSafe(body.count) + body }

    /// With a byte order mark, little-endian.
    static func utf16(_ text: String) -> [UInt8] {
        [0xFF, 0xFE] + text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
    }

    static func big(_ number: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) } }
    static func syncSafe(_ number: Int) -> [UInt8] { (0..<4).map { UInt8(number >> (21 - 7 * $0) & 0x7F) } }
}
