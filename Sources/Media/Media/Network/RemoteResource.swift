// SPDX-License-Identifier: Apache-2.0

internal import Kernel

/// A server's facts about the media: enough to request a part of it and to notice another version.
struct RemoteResource: Hashable {
    /// The address after redirects.
    var address: WebAddress
    /// Where `address` and references in the content may lead.
    var reach = NetworkReach.public
    var facts = CachedFacts()
    /// The server supports range requests.
    var hasRanges: Bool
    /// A radio station: the end of the body is not the end of the media.
    var isLive = false
    /// It counts as a station only because nothing announces its end. It may prove to be a file.
    var isPresumed = false
    /// The server forbids to store it, or a part of a station is read like a file.
    var isForbidden = false

    /// Whether the cache may store it.
    var mayBeKept: Bool { !isLive && !isForbidden }

    /// nil while unknown.
    var size: ByteCount? {
        get { facts.size }
        set { facts.size = newValue }
    }

    /// For `If-Range` (RFC 9110, section 13.1.5), which needs a strong validator.
    var validator: String? {
        if let tag = facts.entityTag, !tag.hasPrefix("W/") { return tag }
        return facts.lastModified
    }

    func contradicts(_ other: RemoteResource) -> Bool {
        func differ<Value: Equatable>(_ one: Value?, _ two: Value?) -> Bool {
            one.flatMap { one in two.map { one != $0 } } ?? false
        }
        if differ(size, other.size) || differ(facts.entityTag, other.facts.entityTag) { return true }
        // Servers of a cluster may send different dates for the same entity tag.
        return facts.entityTag == nil && differ(facts.lastModified, other.facts.lastModified)
    }
}

/// `Content-Range` (RFC 9110, section 14.4).
struct ContentRange: Hashable {
    /// The first byte; nil for an unsatisfied range (`bytes */123`).
    var first: Int64?
    /// nil if the server does not know it, or if it exceeds the largest size.
    var total: ByteCount?

    init?(_ text: String?) {
        guard let text else { return nil }
        let parts = text.trimmingSpaces.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "bytes" else { return nil }
        let sides = parts[1].split(separator: "/", omittingEmptySubsequences: false)
        guard sides.count == 2 else { return nil }
        if sides[1] != "*" {
            guard Self.isNumber(sides[1]) else { return nil }
            total = ByteCount(digits: sides[1])
        }
        guard sides[0] != "*" else { return }
        let bounds = sides[0].split(separator: "-", omittingEmptySubsequences: false)
        guard bounds.count == 2, let first = ByteCount(digits: bounds[0]), Self.isNumber(bounds[1]) else { return nil }
        // A last byte beyond the largest size needs a total beyond it.
        if let last = ByteCount(digits: bounds[1]) {
            guard first <= last, total.map({ last < $0 }) ?? true else { return nil }
        } else {
            guard total == nil, sides[1] != "*" else { return nil }
        }
        self.first = first.bytes
    }

    /// Digits of any length.
    private static func isNumber(_ text: Substring) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
    }
}

/// How long a complete cached file is played without revalidation (RFC 9111, section 4.2).
enum Freshness {
    /// If the server sends none. Music hardly ever changes, and a revalidation is cheap.
    static let usual = 86_400.0
    static let longest = 365 * 86_400.0

    static func isFresh(_ facts: CachedFacts, age: Double) -> Bool {
        age < min(longest, facts.lifetime ?? usual)
    }

    private static func directives(_ head: TransferHead) -> [Substring] {
        head.headers.filter { $0.name.lowercased() == "cache-control" }
            .flatMap { $0.value.lowercased().split(separator: ",").map { $0.trimmingSpaces } }
    }

    /// RFC 9111, section 5.2.2.5.
    static func forbidsStorage(_ head: TransferHead) -> Bool { directives(head).contains("no-store") }

    /// Seconds from now; nil if the server does not send it.
    static func lifetime(_ head: TransferHead) -> Double? {
        let directives = Self.directives(head)
        if directives.contains("no-cache") || directives.contains("no-store") { return 0 }
        if directives.contains("immutable") { return longest }
        guard let given = directives.first(where: { $0.hasPrefix("max-age=") })?.dropFirst("max-age=".count),
            let seconds = Double(given.filter { $0 != "\"" }), seconds >= 0, seconds.isFinite
        else { return nil }
        let age = head["Age"].flatMap { Double($0.trimmingSpaces) } ?? 0
        return max(0, seconds - (age.isFinite ? max(0, age) : 0))
    }
}
