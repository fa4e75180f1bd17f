// SPDX-License-Identifier: Apache-2.0

/// Names of members that are only known at run time, so that unknown ones can be seen.
struct MemberKey: CodingKey {
    var stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}

/// `items[3].foo`, as problems name members.
enum MemberPath {
    static func text(_ path: [any CodingKey], _ last: String? = nil, in place: ListPlace? = nil) -> String {
        var text = ""
        var path = path[...]
        if let place {
            text = place.member
            if let index = path.first?.intValue {
                text += "[\(place.first + index)]"
                path = path.dropFirst()
            }
        }
        for key in path {
            if let index = key.intValue {
                text += "[\(index)]"
            } else {
                text += text.isEmpty ? key.stringValue : "." + key.stringValue
            }
        }
        guard let last else { return text }
        return text.isEmpty ? last : text + "." + last
    }
}

extension Decoder {
    var listPlace: ListPlace? { userInfo[.listPlace] as? ListPlace }
}

/// One JSON object of a request, read member by member: unknown members, wrong types and values out of range are
/// refused with a problem that names the member.
struct StrictObject {
    private let container: KeyedDecodingContainer<MemberKey>
    /// The members that are there. Few are, of the many that may be, and the decoder takes long to say so of each.
    private let present: [String]
    /// Where the decoder has a part of a list.
    private let place: ListPlace?

    init(_ decoder: any Decoder, _ known: [String]) throws {
        place = decoder.listPlace
        container = try decoder.container(keyedBy: MemberKey.self)
        present = container.allKeys.map(\.stringValue)
        for name in present where !known.contains(name) {
            let others = known.isEmpty ? "nothing is" : "known are: \(known.joined(separator: ", "))"
            throw invalid(name, "is not known here; \(others)")
        }
    }

    func invalid(_ name: String, _ detail: String) -> Problem {
        let member = MemberPath.text(container.codingPath, String(name.prefix(100)), in: place)
        return .invalid(member, "\(member) \(detail).")
    }

    /// Present and not null.
    func has(_ name: String) throws -> Bool {
        try contains(name) && !container.decodeNil(forKey: MemberKey(stringValue: name))
    }

    /// The object has no more than one member.
    var hasOnlyOne: Bool { present.count == 1 }

    /// Present, maybe null.
    func contains(_ name: String) -> Bool { present.contains(name) }

    /// `maximum`: in code points, as JSON Schema counts; one takes at most four bytes.
    func text(_ name: String, maximum: Int = 1024) throws -> String? {
        guard let text = try value(String.self, name, "text") else { return nil }
        guard text.hasCodePoints(atMost: maximum) else {
            throw invalid(name, "is longer than \(maximum) characters")
        }
        guard !text.utf8.contains(0) else { throw invalid(name, "contains a NUL character") }
        return text
    }

    func flag(_ name: String) throws -> Bool? {
        try value(Bool.self, name, "true or false")
    }

    func number(_ name: String, in range: ClosedRange<Double>) throws -> Double? {
        guard let number = try value(Double.self, name, "a finite number") else { return nil }
        guard number.isFinite, range.contains(number) else {
            throw invalid(name, "must lie in \(range.lowerBound)...\(range.upperBound)")
        }
        return number
    }

    func integer(_ name: String, in range: ClosedRange<Int>) throws -> Int? {
        guard let number = try value(Int.self, name, "a whole number") else { return nil }
        guard range.contains(number) else {
            throw invalid(name, "must lie in \(range.lowerBound)...\(range.upperBound)")
        }
        return number
    }

    func choice<Choice: RawRepresentable & CaseIterable>(_ name: String, _ type: Choice.Type) throws -> Choice?
    where Choice.RawValue == String {
        guard let text = try value(String.self, name, "text") else { return nil }
        guard let choice = Choice(rawValue: text) else {
            throw invalid(name, "must be one of: " + Choice.allCases.map(\.rawValue).joined(separator: ", "))
        }
        return choice
    }

    /// An object or a list with its own rules; nil when absent or null.
    func nested<Value: Decodable>(_ type: Value.Type, _ name: String) throws -> Value? {
        try has(name) ? container.decode(type, forKey: MemberKey(stringValue: name)) : nil
    }

    private func value<Value: Decodable>(_ type: Value.Type, _ name: String, _ expected: String) throws -> Value? {
        guard try has(name) else { return nil }
        do {
            return try container.decode(type, forKey: MemberKey(stringValue: name))
        } catch DecodingError.typeMismatch {
            throw invalid(name, "must be \(expected)")
        } catch  where type == String.self {
            // Broken escapes and bytes that are no UTF-8 come as the parser's private errors.
            throw Problem.malformed("\(MemberPath.text(container.codingPath, name, in: place)) is not valid text.")
        } catch {
            // So do numbers that do not fit the type.
            throw invalid(name, "must be \(expected)")
        }
    }
}

extension String {
    /// Looks at no more of it than is needed.
    func hasCodePoints(atMost maximum: Int) -> Bool {
        utf8.count <= maximum || unicodeScalars.dropFirst(maximum).isEmpty
    }
}

/// The body of a request that takes no members.
struct EmptyBody: Decodable {
    init(from decoder: any Decoder) throws { _ = try StrictObject(decoder, []) }
}
