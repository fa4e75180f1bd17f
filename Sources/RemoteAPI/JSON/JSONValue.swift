// SPDX-License-Identifier: Apache-2.0

/// Any JSON value: the `id` of a client frame comes back as it was sent, and its `data` goes to the route's own reader.
enum JSONValue: Decodable, Hashable {
    case null
    case flag(Bool)
    case integer(Int64)
    case number(Double)
    case text(String)
    case list([JSONValue])
    case object([String: JSONValue])

    init(from decoder: any Decoder) throws {
        if let container = Self.guess({ try decoder.container(keyedBy: MemberKey.self) }) {
            var members: [String: JSONValue] = [:]
            for key in container.allKeys {
                members[key.stringValue] = try container.decode(JSONValue.self, forKey: key)
            }
            self = .object(members)
        } else if var container = Self.guess({ try decoder.unkeyedContainer() }) {
            var elements: [JSONValue] = []
            while !container.isAtEnd { elements.append(try container.decode(JSONValue.self)) }
            self = .list(elements)
        } else {
            self = try JSONValue(scalar: decoder.singleValueContainer())
        }
    }

    private init(scalar container: any SingleValueDecodingContainer) throws {
        if container.decodeNil() {
            self = .null
        } else if let flag = Self.guess({ try container.decode(Bool.self) }) {
            self = .flag(flag)
        } else if let integer = Self.guess({ try container.decode(Int64.self) }) {
            self = .integer(integer)
        } else if let number = Self.guess({ try container.decode(Double.self) }) {
            guard number.magnitude < 0x1p63 else {
                let member = MemberPath.text(container.codingPath)
                throw Problem.invalid(member, "\(member) is a number too large to be told back as it came.")
            }
            self = .number(number)
        } else {
            self = .text(try container.decode(String.self))
        }
    }

    /// The decoder has no way to ask for a value's type; each wrong guess is answered by an error and is no failure.
    private static func guess<Value>(_ body: () throws -> Value) -> Value? {
        do { return try body() } catch { return nil }
    }

    func write(to writer: inout JSONWriter) {
        switch self {
        case .null: writer.null()
        case .flag(let flag): writer.value(flag)
        case .integer(let integer): writer.value(integer)
        case .number(let number): writer.value(raw: Array(number.description.utf8))
        case .text(let text): writer.value(text)
        case .list(let elements): writer.array(elements) { $1.write(to: &$0) }
        case .object(let members):
            writer.object { writer in
                for (name, value) in members {
                    writer.key(name)
                    value.write(to: &writer)
                }
            }
        }
    }

    var bytes: [UInt8] {
        var writer = JSONWriter()
        write(to: &writer)
        return writer.bytes
    }
}
