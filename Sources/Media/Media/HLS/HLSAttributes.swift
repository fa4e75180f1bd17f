// SPDX-License-Identifier: Apache-2.0

/// `NAME=value,NAME="quoted, value"` (RFC 8216, section 4.2).
struct HLSAttributes {
    private var values: [Substring: Substring] = [:]

    init(_ text: Substring) {
        var rest = text
        while let equals = rest.firstIndex(of: "=") {
            let name = rest[..<equals].drop { $0 == " " || $0 == "," }
            rest = rest[rest.index(after: equals)...]
            if rest.first == "\"" {
                rest.removeFirst()
                values[name] = rest.prefix { $0 != "\"" }
                rest = rest.drop { $0 != "\"" }.dropFirst()
            } else {
                values[name] = rest.prefix { $0 != "," }
            }
            rest = rest.drop { $0 != "," }.dropFirst()
        }
    }

    subscript(name: Substring) -> String? { values[name].map(String.init) }

    func number(_ name: Substring) -> Int? { values[name].flatMap { Int($0) } }

    /// `0x` and 32 digits, or fewer.
    func vector(_ name: Substring) -> [UInt8]? {
        guard let text = values[name], text.lowercased().hasPrefix("0x") else { return nil }
        let digits = text.dropFirst(2)
        guard (1...32).contains(digits.count) else { return nil }
        let padded = Array(String(repeating: "0", count: 32 - digits.count) + digits)
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: 32, by: 2) {
            guard padded[index].isASCII, let byte = UInt8(String(padded[index...index + 1]), radix: 16) else {
                return nil
            }
            bytes.append(byte)
        }
        return bytes
    }
}
