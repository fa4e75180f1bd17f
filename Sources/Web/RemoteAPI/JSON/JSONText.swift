// SPDX-License-Identifier: Apache-2.0

import Service

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

/// A value that is initialized from JSON. A problem names the member at fault.
protocol JSONReadable {
    init(_ json: JSONNode) throws(Problem)
}

/// One value of a JSON text. It must not be stored: an element of a long list is valid only while it is being taken.
struct JSONNode {
    let text: JSONText
    let index: Int

    private var token: JSONToken { text.tokens[index] }

    var kind: JSONToken.Kind { token.kind }

    /// `items[3].uri`; empty for the top value.
    var path: String { text.path(to: index) }

    var string: String? { kind == .text ? text.string(token) : nil }

    var flag: Bool? {
        switch kind {
        case .yes: true
        case .no: false
        default: nil
        }
    }

    /// Infinite if a `Double` cannot represent it.
    var number: Double? {
        guard kind == .number else { return nil }
        return Double(String(decoding: text.bytes[token.bytes], as: UTF8.self))
    }

    /// A number without a fraction that fits an `Int`, in any notation.
    var integer: Int? {
        guard kind == .number else { return nil }
        return Int(String(decoding: text.bytes[token.bytes], as: UTF8.self)) ?? number.flatMap { Int(exactly: $0) }
    }

    /// The value as it was sent.
    var raw: [UInt8] {
        let range = token.bytes
        return Array(text.bytes[kind == .text ? range.lowerBound - 1..<range.upperBound + 1 : range])
    }

    /// Elements of a list; empty for other values.
    var elements: [JSONNode] { kind == .list ? children(each: 1) : [] }

    /// Members of an object; empty for other values.
    var members: [(name: String, value: JSONNode)] {
        guard kind == .object else { return [] }
        return children(each: 2).map { name in
            (text.string(name.token), JSONNode(text: text, index: name.index + 1))
        }
    }

    /// `each`: 1 for values, 2 for names with values.
    private func children(each width: Int) -> [JSONNode] {
        var children: [JSONNode] = []
        var child = index + 1
        while child < token.next {
            children.append(JSONNode(text: text, index: child))
            child = text.tokens[child + width - 1].next
        }
        return children
    }

    /// `detail`: the fault, as the end of a sentence.
    func invalid(_ detail: String) -> Problem {
        let member = path
        return .invalid(member, "\(member.isEmpty ? "The body" : member) \(detail).")
    }
}

extension Array: JSONReadable where Element: JSONReadable {
    init(_ json: JSONNode) throws(Problem) {
        guard json.kind == .list else { throw json.invalid("must be a list") }
        self = []
        for element in json.elements { append(try Element(element)) }
    }
}

extension String: JSONReadable {
    init(_ json: JSONNode) throws(Problem) {
        guard let text = json.string else { throw json.invalid("must be text") }
        self = text
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

/// Limits for one value. Lists of items are limited element by element.
struct JSONLimits {
    var bytes: Int
    var tokens: Int

    /// For one entry of a list, or a body without such a list.
    static let element = JSONLimits(bytes: 256 * 1024, tokens: 4_096)
    /// For a message of the event channel, which has at most 64 KB; the route reads its `data` again.
    static let message = JSONLimits(bytes: 64 * 1024, tokens: 65_536)

    /// Maximum depth of nested objects and lists.
    static let depth = 32
}
