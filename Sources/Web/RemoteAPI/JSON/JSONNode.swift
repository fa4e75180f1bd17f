// SPDX-License-Identifier: Apache-2.0

import Service

/// A value made of a JSON value. A problem names the member at fault.
protocol JSONReadable {
    init(_ json: JSONNode) throws(Problem)
}

/// One value of a JSON text that was read. Not to be kept: an element of a long list is gone once it was taken.
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

    /// Infinite where it is beyond what a `Double` holds.
    var number: Double? {
        guard kind == .number else { return nil }
        return Double(String(decoding: text.bytes[token.bytes], as: UTF8.self))
    }

    /// A number without a fraction that an `Int` holds, however it is written.
    var integer: Int? {
        guard kind == .number else { return nil }
        return Int(String(decoding: text.bytes[token.bytes], as: UTF8.self)) ?? number.flatMap { Int(exactly: $0) }
    }

    /// The value as it was sent.
    var raw: [UInt8] {
        let range = token.bytes
        return Array(text.bytes[kind == .text ? range.lowerBound - 1..<range.upperBound + 1 : range])
    }

    /// Of a list; none of anything else.
    var elements: [JSONNode] { kind == .list ? children(each: 1) : [] }

    /// Of an object; none of anything else.
    var members: [(name: String, value: JSONNode)] {
        guard kind == .object else { return [] }
        return children(each: 2).map { name in
            (text.string(name.token), JSONNode(text: text, index: name.index + 1))
        }
    }

    /// `each`: tokens of one, a value or a name and its value.
    private func children(each width: Int) -> [JSONNode] {
        var children: [JSONNode] = []
        var child = index + 1
        while child < token.next {
            children.append(JSONNode(text: text, index: child))
            child = text.tokens[child + width - 1].next
        }
        return children
    }

    /// `detail`: what is wrong with it, as the end of a sentence.
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
