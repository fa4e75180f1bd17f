// SPDX-License-Identifier: Apache-2.0

import RemoteAPI

/// Which player a command is for; the paths that commands name are main's.
struct PlayerAddress: Hashable {
    /// nil: main.
    var id: String?

    static func isID(_ text: String) -> Bool { RemoteAPI.isPlayerID(text) }

    /// The same resource of this player; what belongs to no player stays.
    func path(_ path: String) -> String {
        guard let id else { return path }
        let base = "/api/v1/"
        guard path.hasPrefix(base) else { return path }
        let rest = path.dropFirst(base.count)
        let name = rest.prefix { $0 != "/" && $0 != "?" }
        if name == "player" { return "\(base)players/\(id)\(rest.dropFirst(name.count))" }
        return RemoteAPI.isOfEachPlayer(String(name)) ? "\(base)players/\(id)/\(rest)" : path
    }
}
