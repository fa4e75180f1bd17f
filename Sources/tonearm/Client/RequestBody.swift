// SPDX-License-Identifier: Apache-2.0

/// The JSON object that a request sends. A member that is nil is left out; `Null` is sent.
struct RequestBody: Encodable, ExpressibleByDictionaryLiteral {
    struct Null: Encodable {
        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encodeNil()
        }
    }

    private struct Name: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    private let members: [(name: String, value: any Encodable)]

    init(dictionaryLiteral members: (String, (any Encodable)?)...) {
        self.members = members.compactMap { name, value in value.map { (name, $0) } }
    }

    func encode(to encoder: any Encoder) throws {
        var object = encoder.container(keyedBy: Name.self)
        for (name, value) in members { try object.encode(value, forKey: Name(stringValue: name)) }
    }
}
