// SPDX-License-Identifier: Apache-2.0

import HTTP
import Service

/// The query of one request, read as strictly as a body.
struct Query {
    private let pairs: [(name: String, value: String)]

    init(_ request: HTTPRequest, known: [String]) throws(Problem) {
        pairs = request.query
        for pair in pairs where !known.contains(pair.name) {
            let name = pair.name.prefix(60)
            let others = known.isEmpty ? "nothing is" : "known are: \(known.joined(separator: ", "))"
            throw .invalid(String(name), "The query parameter \(name) is not known here; \(others).")
        }
        var seen: Set<String> = []
        for pair in pairs where !seen.insert(pair.name).inserted {
            throw .malformed("The query parameter \(pair.name) stands twice.")
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

    func integer(_ name: String, in range: ClosedRange<Int>, default defaultValue: Int) throws(Problem) -> Int {
        guard let value = try text(name) else { return defaultValue }
        guard let number = Int(value), range.contains(number) else {
            throw .invalid(name, "\(name) must be a whole number in \(range.lowerBound)...\(range.upperBound).")
        }
        return number
    }
}
