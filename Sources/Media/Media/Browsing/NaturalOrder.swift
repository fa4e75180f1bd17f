// SPDX-License-Identifier: Apache-2.0

/// The order of names in a listing: runs of digits by value, letters without regard to case, so that `2 - b` stands
/// before `10 - A`. Total: names that differ only in case or leading zeros are ordered by their bytes.
struct NaturalOrder: Comparable {
    private let key: [UInt8]
    private let name: [UInt8]

    init(_ name: String) {
        self.name = Array(name.utf8)
        self.key = Array(name.lowercased().utf8)
    }

    static func < (left: NaturalOrder, right: NaturalOrder) -> Bool {
        var a = left.key[...]
        var b = right.key[...]
        while let x = a.first, let y = b.first {
            if isDigit(x), isDigit(y) {
                let p = digits(&a)
                let q = digits(&b)
                if p.count != q.count { return p.count < q.count }
                if !p.elementsEqual(q) { return p.lexicographicallyPrecedes(q) }
            } else if x != y {
                return x < y
            } else {
                a.removeFirst()
                b.removeFirst()
            }
        }
        if a.isEmpty != b.isEmpty { return a.isEmpty }
        return left.name.lexicographicallyPrecedes(right.name)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    /// Takes a run of digits off the front; its value without leading zeros.
    private static func digits(_ bytes: inout ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let run = bytes.prefix(while: isDigit)
        bytes = bytes.dropFirst(run.count)
        return run.drop { $0 == 0x30 }
    }
}
