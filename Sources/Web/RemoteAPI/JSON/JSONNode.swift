// SPDX-License-Identifier: Apache-2.0

import Service

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

    var hasEscapes: Bool { token.hasEscapes }

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
        self = try json.elements.map { element throws(Problem) in try Element(element) }
    }
}

extension String: JSONReadable {
    init(_ json: JSONNode) throws(Problem) {
        self = try json.string.orThrow(json.invalid("must be text"))
    }
}
