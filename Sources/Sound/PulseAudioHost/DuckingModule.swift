// SPDX-License-Identifier: Apache-2.0

/// The behaviour of one loaded `module-role-ducking`, by its arguments. Pure.
///
/// The module lowers streams by a factor that PulseAudio does not report: a stream's volume does not change. So it is
/// computed from the module's arguments, by the module's own rules.
struct DuckingModule {
    static let name = "module-role-ducking"

    /// A playing stream as the module sees it.
    struct Stream {
        var role: String?
        var sink: UInt32
        /// Neither corked nor muted.
        var isAudible: Bool
    }

    /// Roles that trigger ducking, and roles that are ducked; a module may have several such pairs.
    private let groups: [(triggers: Set<String>, ducked: Set<String>)]
    /// Streams on other sinks count as well.
    private let isGlobal: Bool

    init(arguments: String) {
        let values = Self.values(arguments)
        let triggers = Self.groups(values["trigger_roles"]) ?? [["phone"]]
        let ducked = Self.groups(values["ducking_roles"]) ?? [["music", "video"]]
        // PulseAudio rejects modules whose lists have different lengths.
        groups = zip(triggers, ducked).map { (triggers: $0, ducked: $1) }
        isGlobal = ["1", "y", "yes", "t", "true", "on"].contains(values["global"]?.lowercased())
    }

    /// Whether our stream is ducked while these other streams play.
    func ducks(_ own: Stream, others: [Stream]) -> Bool {
        groups.contains { group in
            Self.has(group.ducked, own)
                && others.contains { other in
                    other.isAudible && (isGlobal || other.sink == own.sink) && Self.has(group.triggers, other)
                }
        }
    }

    private static func has(_ roles: Set<String>, _ stream: Stream) -> Bool {
        guard let role = stream.role else { return roles.contains("no_role") }
        return roles.contains(role) || roles.contains("any_role")
    }

    /// `a,b/c`: two groups.
    private static func groups(_ text: String?) -> [Set<String>]? {
        text?.split(separator: "/", omittingEmptySubsequences: false).map { group in
            Set(group.split(separator: ",").map { String($0.filter { $0 != " " }) })
        }
    }

    /// `name=value name="value with spaces"`: the syntax of module arguments.
    private static func values(_ text: String) -> [String: String] {
        var values: [String: String] = [:]
        var rest = text[...]
        while let equals = rest.firstIndex(of: "=") {
            let name = rest[..<equals].drop { $0.isWhitespace }
            rest = rest[rest.index(after: equals)...]
            let quote = rest.first.flatMap { "\"'".contains($0) ? $0 : nil }
            if quote != nil { rest = rest.dropFirst() }
            let end = rest.firstIndex { quote == nil ? $0.isWhitespace : $0 == quote } ?? rest.endIndex
            values[String(name)] = String(rest[..<end])
            rest = end < rest.endIndex ? rest[rest.index(after: end)...] : rest[end...]
        }
        return values
    }
}
