// SPDX-License-Identifier: Apache-2.0

/// The bytes of a JSON text, and the tokens of the current value. Used by one reader, on one thread.
final class JSONText {
    let bytes: [UInt8]
    var tokens: [JSONToken] = []
    /// The element of a long list that the tokens describe; nil: they describe the whole text.
    var element: (list: String, index: Int)?

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// The text of a text token, or the name of a member.
    func string(_ token: JSONToken) -> String {
        bytes.withUnsafeBufferPointer { bytes in
            token.hasEscapes
                ? String(decoding: JSONEscape.resolved(bytes[token.bytes]), as: UTF8.self)
                : String(decoding: bytes[token.bytes], as: UTF8.self)
        }
    }

    /// The path of the token `index`, which may be the next one to come, in the notation of problems:
    /// `items[3].headers`.
    func path(to index: Int) -> String {
        var path = element.map { "\($0.list)[\($0.index)]" } ?? ""
        var place = 0
        while place != index, place < tokens.count {
            guard let (step, child) = step(from: place, towards: index) else { break }
            path += path.isEmpty && step.hasPrefix(".") ? String(step.dropFirst()) : step
            place = child
        }
        return path
    }

    private func step(from place: Int, towards index: Int) -> (String, Int)? {
        let isObject = tokens[place].kind == .object
        guard isObject || tokens[place].kind == .list else { return nil }
        var child = place + 1
        var count = 0
        while child < tokens.count {
            let value = isObject ? child + 1 : child
            let next = value < tokens.count ? tokens[value].next : 0
            if next == 0 || index < next {
                let name = isObject ? "." + string(tokens[child]).prefix(100) : "[\(count)]"
                return (name, index == child ? child : value)
            }
            child = next
            count += 1
        }
        return nil
    }
}

/// A value of a JSON text, or the name of a member: its kind and its range of bytes. The tokens of an object or list
/// follow its own token; a member is its name, then its value.
struct JSONToken {
    enum Kind: UInt8 {
        case object, list, text, number, yes, no, null
    }

    var kind: Kind
    /// For a text: it contains escapes.
    var hasEscapes = false
    /// Range of its bytes; for a text without the quotes.
    var bytes: Range<Int>
    /// The index of the token after this value and its content; 0 while the value is being scanned.
    var next: Int
}
