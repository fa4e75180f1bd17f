// SPDX-License-Identifier: Apache-2.0

import Playback
import Service

/// One JSON object of a request, read member by member: unknown members, wrong types and values out of range are
/// rejected with a problem that names the member.
struct StrictObject {
    private let json: JSONNode
    private let members: [(name: String, value: JSONNode)]

    /// `known`: the allowed members.
    init(_ json: JSONNode, _ known: [String]) throws(Problem) {
        try self.init(json)
        for (name, _) in members where !known.contains(name) {
            let others = known.isEmpty ? "nothing is" : "known are: \(known.joined(separator: ", "))"
            throw invalid(name, "is not known here; \(others)")
        }
    }

    /// An object with arbitrary members.
    init(_ json: JSONNode) throws(Problem) {
        guard json.kind == .object else {
            throw json.invalid(json.path.isEmpty ? "must be a JSON object" : "must be an object")
        }
        self.json = json
        members = json.members
    }

    func invalid(_ name: String, _ detail: String) -> Problem {
        let path = json.path
        let name = String(name.prefix(100))
        let member = path.isEmpty ? name : "\(path).\(name)"
        return .invalid(member, "\(member) \(detail).")
    }

    var names: [String] { members.map(\.name) }

    /// Rejects all other members.
    func rejectAll(except allowed: [String], _ detail: String) throws(Problem) {
        for name in names where !allowed.contains(name) { throw invalid(name, detail) }
    }

    /// The member, if it is present and not null.
    subscript(name: String) -> JSONNode? {
        guard let node = members.first(where: { $0.name == name })?.value, node.kind != .null else { return nil }
        return node
    }

    /// The value of a required member.
    func needed<Value>(
        _ value: Value?, _ name: String, _ detail: @autoclosure () -> String = "is needed"
    ) throws(Problem) -> Value { try value.orThrow(invalid(name, detail())) }

    /// Present and not null.
    func has(_ name: String) -> Bool { self[name] != nil }

    /// The object has no more than one member.
    var hasOnlyOne: Bool { members.count == 1 }

    /// Present, possibly null.
    func contains(_ name: String) -> Bool { members.contains { $0.name == name } }

    /// `maximum`: in code points, as in JSON Schema; each has at most four bytes.
    func text(_ name: String, maximum: Int = 1024) throws(Problem) -> String? {
        guard let node = self[name] else { return nil }
        guard let text = node.string else { throw invalid(name, "must be text") }
        guard text.hasCodePoints(atMost: maximum) else {
            throw invalid(name, "is longer than \(maximum) characters")
        }
        // An unescaped NUL is not valid JSON.
        guard !node.hasEscapes || !text.utf8.contains(0) else { throw invalid(name, "contains a NUL character") }
        return text
    }

    func flag(_ name: String) throws(Problem) -> Bool? {
        guard let node = self[name] else { return nil }
        guard let flag = node.flag else { throw invalid(name, "must be true or false") }
        return flag
    }

    func number(_ name: String, in range: ClosedRange<Double>) throws(Problem) -> Double? {
        guard let node = self[name] else { return nil }
        guard let number = node.number, number.isFinite else { throw invalid(name, "must be a finite number") }
        guard range.contains(number) else { throw invalid(name, "must be \(Setting.words(of: range))") }
        return number
    }

    func integer(_ name: String, in range: ClosedRange<Int>) throws(Problem) -> Int? {
        guard let node = self[name] else { return nil }
        guard let number = node.integer else { throw invalid(name, "must be a whole number") }
        guard range.contains(number) else {
            throw invalid(name, "must be from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    func choice<Choice: RawRepresentable & CaseIterable>(
        _ name: String, _ type: Choice.Type
    ) throws(Problem) -> Choice? where Choice.RawValue == String { try choice(name, of: Array(Choice.allCases)) }

    func choice<Choice: RawRepresentable>(
        _ name: String, of choices: [Choice]
    ) throws(Problem) -> Choice? where Choice.RawValue == String {
        guard let node = self[name] else { return nil }
        guard let choice = choices.first(where: { $0.rawValue == node.string }) else {
            throw invalid(name, "must be one of: " + choices.map(\.rawValue).joined(separator: ", "))
        }
        return choice
    }

    /// A list of words.
    func choices<Choice: RawRepresentable & CaseIterable & Hashable>(
        _ name: String, _ type: Choice.Type
    ) throws(Problem) -> Set<Choice>? where Choice.RawValue == String {
        guard let node = self[name] else { return nil }
        let found = node.elements.map { $0.string.flatMap(Choice.init(rawValue:)) }
        guard node.kind == .list, !found.contains(nil) else {
            throw invalid(name, "must be a list of: " + Choice.allCases.map(\.rawValue).joined(separator: ", "))
        }
        return Set(found.compactMap(\.self))
    }

    /// An object or list with rules of its own; nil if absent or null.
    func nested<Value: JSONReadable>(_ type: Value.Type, _ name: String) throws(Problem) -> Value? {
        guard let node = self[name] else { return nil }
        return try Value(node)
    }

    /// A list of at least one element; nil if absent or null.
    func list<Element: JSONReadable>(
        _ type: Element.Type, _ name: String, atMost maximum: Int
    ) throws(Problem) -> [Element]? {
        guard let list = try nested([Element].self, name) else { return nil }
        guard (1...maximum).contains(list.count) else { throw invalid(name, "must list 1 to \(maximum)") }
        return list
    }
}

extension String {
    /// Examines no more of the text than necessary.
    func hasCodePoints(atMost maximum: Int) -> Bool {
        utf8.count <= maximum || unicodeScalars.dropFirst(maximum).isEmpty
    }
}
