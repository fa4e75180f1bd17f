// SPDX-License-Identifier: Apache-2.0

/// For how long what was downloaded whole is played without asking its server whether it still has the same (RFC 9111,
/// section 4.2).
enum Freshness {
    /// For servers that do not send it. Music hardly ever changes, and asking costs one short answer.
    static let usual = 86_400.0
    static let longest = 365 * 86_400.0

    static func isFresh(_ facts: CachedFacts, age: Double) -> Bool {
        age < min(longest, facts.lifetime ?? usual)
    }

    /// Seconds from now; nil when the server does not send it.
    static func lifetime(_ head: TransferHead) -> Double? {
        let directives = (head["Cache-Control"] ?? "").lowercased().split(separator: ",").map {
            String($0).trimmedOfSpaces
        }
        if directives.contains("no-cache") || directives.contains("no-store") { return 0 }
        if directives.contains("immutable") { return longest }
        guard let given = directives.first(where: { $0.hasPrefix("max-age=") })?.dropFirst("max-age=".count),
            let seconds = Double(given.filter { $0 != "\"" }), seconds >= 0, seconds.isFinite
        else { return nil }
        let age = head["Age"].flatMap { Double($0.trimmedOfSpaces) } ?? 0
        return max(0, seconds - (age.isFinite ? max(0, age) : 0))
    }
}
