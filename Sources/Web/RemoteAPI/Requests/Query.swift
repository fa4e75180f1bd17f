// SPDX-License-Identifier: Apache-2.0

import HTTP
import Service

/// The query of a request, read as strictly as a body.
struct Query {
    private let pairs: [(name: String, value: String)]

    init(_ request: HTTPRequest) { pairs = request.query }

    /// Rejects unknown and repeated parameters.
    func check(_ known: [String]) throws(Problem) {
        for pair in pairs where !known.contains(pair.name) {
            let name = pair.name.prefix(60)
            let others = known.isEmpty ? "there are none" : "known are: \(known.joined(separator: ", "))"
            throw .invalid(String(name), "The query parameter \(name) is not known here; \(others).")
        }
        var seen: Set<String> = []
        for pair in pairs where !seen.insert(pair.name).inserted {
            throw .malformed("The query parameter \(pair.name) appears twice.")
        }
    }

    /// `maximum`: in code points.
    func text(_ name: String, maximum: Int = 4096) throws(Problem) -> String? {
        guard let value = pairs.first(where: { $0.name == name })?.value else { return nil }
        guard value.hasCodePoints(atMost: maximum) else {
            throw .invalid(name, "\(name) is longer than \(maximum) characters.")
        }
        guard !value.utf8.contains(0) else { throw .invalid(name, "\(name) contains a NUL character.") }
        return value
    }

    func integer(_ name: String, in range: ClosedRange<Int>) throws(Problem) -> Int? {
        guard let value = try text(name) else { return nil }
        guard !value.hasPrefix("+"), let number = Int(value), range.contains(number) else {
            throw .invalid(name, "\(name) must be a whole number in \(range.lowerBound)...\(range.upperBound).")
        }
        return number
    }

    /// NaN if it is not a decimal number; nil if absent.
    func number(_ name: String) throws(Problem) -> Double? {
        try text(name).map { text in
            // Double also reads hexadecimal numbers and a leading plus.
            let isDecimal = text.utf8.allSatisfy { "0123456789.eE+-".utf8.contains($0) } && !text.hasPrefix("+")
            return isDecimal ? Double(text) ?? .nan : .nan
        }
    }

    func needed(_ name: String) throws(Problem) -> String {
        guard let value = try text(name), !value.isEmpty else {
            throw .invalid(name, "The query parameter \(name) is needed.")
        }
        return value
    }

    /// 0 if absent.
    func seconds(_ name: String) throws(Problem) -> Double {
        guard let number = try number(name) else { return 0 }
        guard (0...36_000_000).contains(number) else {
            throw .invalid(name, "\(name) must be a number of seconds in 0...36000000.")
        }
        return number
    }

    /// The longer edge of a picture; nil if absent.
    func size() throws(Problem) -> Int? { try integer("size", in: PlayerContext.pictureSizes) }

    /// The window of a long list.
    func window(of length: Int = 10_000_000) throws(Problem) -> (offset: Int, limit: Int) {
        (try integer("offset", in: 0...length) ?? 0, try integer("limit", in: 0...1000) ?? 100)
    }
}
