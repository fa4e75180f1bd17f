// SPDX-License-Identifier: Apache-2.0

internal import Kernel
internal import Playback

/// The paths of a player's resources. main has short paths (`/player`, `/queue`); every player has them below
/// `/players/ID`, and the routes are those of the short ones.
public struct PlayerPath: Hashable, Sendable {
    public static let main = PlayerPath(id: "main")
    static let list = "/api/v1/players"

    public let id: String

    public init(id: String) { self.id = id }

    var isMain: Bool { self == .main }
    var player: String { of("/api/v1/player") }

    func item(_ id: ItemID) -> String { item(id.description) }
    func item(_ id: String) -> String { of("/api/v1/queue/items/\(id)") }

    /// This player's path for main's short path `route`, possibly with a query. Paths of the server do not change.
    public func of(_ route: String) -> String {
        let base = "/api/v1/"
        guard !isMain, route.hasPrefix(base) else { return route }
        let rest = route.dropFirst(base.count)
        let name = rest.prefix { $0 != "/" && $0 != "?" }
        if name == "player" { return "\(Self.list)/\(id)\(rest.dropFirst(name.count))" }
        return Self.ofEach.contains(String(name)) ? "\(Self.list)/\(id)/\(rest)" : route
    }

    /// Letters, digits and hyphens, at most 32, without a leading hyphen, which a command line would take for a flag.
    public static func isID(_ text: String) -> Bool {
        (1...32).contains(text.utf8.count) && text.utf8.first != UInt8(ascii: "-")
            && text.utf8.allSatisfy { PercentEncoding.isAlphanumeric($0) || $0 == UInt8(ascii: "-") }
    }

    /// First components of short paths beside `player`, which exist for main and below `/players/{id}`.
    static let ofEach: Set<String> = [
        "queue", "outputs", "effects", "events", "announcements", "sfx", "timers", "renders", "playlists",
    ]

    /// The player of a path, and the short path of the same resource; nil for paths of the server, and for main's short
    /// ones.
    static func split(_ path: String) -> (player: String?, route: String) {
        let prefix = list + "/"
        guard path.hasPrefix(prefix) else { return (nil, path) }
        let rest = path.dropFirst(prefix.count)
        let id = rest.prefix { $0 != "/" }
        let below = rest[id.endIndex...]
        let first = below.split(separator: "/", maxSplits: 1).first
        let isShort = first.map { ofEach.contains(String($0)) } ?? false
        return (String(id), (isShort ? "/api/v1" : "/api/v1/player") + below)
    }
}
