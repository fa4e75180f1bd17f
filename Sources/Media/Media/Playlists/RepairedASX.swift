// SPDX-License-Identifier: Apache-2.0

internal import Kernel

/// An ASX list as well-formed XML: tags in lower case, stray ampersands escaped. Lists written for Windows Media need both.
///
/// In pieces, so that a list of ampersands, which grows to five times its size, is never in memory as a whole.
struct RepairedASX: Sequence, IteratorProtocol {
    private static let pieceSize = 1 << 20

    private let bytes: [UInt8]
    private var place = 0
    private var isName = false

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func next() -> [UInt8]? {
        guard place < bytes.count else { return nil }
        var piece: [UInt8] = []
        piece.reserveCapacity(Self.pieceSize + 5)
        while place < bytes.count, piece.count < Self.pieceSize {
            let byte = bytes[place]
            switch byte {
            case UInt8(ascii: "<"): isName = true
            case UInt8(ascii: "/") where isName: break
            case _ where isName: isName = PercentEncoding.isAlphanumeric(byte)
            default: break
            }
            if byte == UInt8(ascii: "&"), !isEntity {
                piece += "&amp;".utf8
            } else {
                let isUpper = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
                piece.append(isName && isUpper ? byte | 0x20 : byte)
            }
            place += 1
        }
        return piece
    }

    /// Whether the ampersand at `place` begins an entity or character reference.
    private var isEntity: Bool {
        let rest = bytes[(place + 1)...].prefix(10)
        guard let end = rest.firstIndex(of: UInt8(ascii: ";")), end > rest.startIndex else { return false }
        return rest[..<end].allSatisfy { $0 == UInt8(ascii: "#") || PercentEncoding.isAlphanumeric($0) }
    }
}
