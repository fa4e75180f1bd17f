// SPDX-License-Identifier: Apache-2.0

import HTTP

/// The commands of the event channel: each is a route of the REST API under another name.
struct CommandTable: Sendable {
    static let names: [(command: String, method: HTTPMethod, path: String)] = [
        ("play", .post, "/api/v1/player/play"), ("pause", .post, "/api/v1/player/pause"),
        ("toggle", .post, "/api/v1/player/toggle"), ("stop", .post, "/api/v1/player/stop"),
        ("next", .post, "/api/v1/player/next"), ("previous", .post, "/api/v1/player/previous"),
        ("seek", .post, "/api/v1/player/seek"), ("scan", .post, "/api/v1/player/scan"),
        ("scan-end", .delete, "/api/v1/player/scan"), ("settings", .patch, "/api/v1/player"),
        ("queue.add", .post, "/api/v1/queue/items"), ("queue.replace", .put, "/api/v1/queue"),
        ("queue.move", .post, "/api/v1/queue/move"), ("queue.remove", .post, "/api/v1/queue/remove"),
        ("queue.clear", .delete, "/api/v1/queue"), ("queue.shuffle", .post, "/api/v1/queue/shuffle"),
        ("queue.undo", .post, "/api/v1/queue/undo"), ("queue.redo", .post, "/api/v1/queue/redo"),
        ("announce", .post, "/api/v1/announcements"),
        ("outputs.select", .put, "/api/v1/outputs/current"), ("outputs.policy", .patch, "/api/v1/outputs"),
        ("session", .patch, "/api/v1/session"),
        ("interruption", .post, "/api/v1/session/interruptions"),
    ]

    private var routes: [String: Route] = [:]

    init(_ router: Router) {
        for (command, method, path) in Self.names {
            guard case .route(let route, _) = router.match(method, path) else {
                preconditionFailure("no route \(method.rawValue) \(path) for the command \(command)")
            }
            routes[command] = route
        }
    }

    func route(_ command: String) throws(Problem) -> Route {
        guard let route = routes[command] else {
            let known = Self.names.map(\.command).joined(separator: ", ")
            throw .invalid("command", "\(command.prefix(40)) is not a command; there are: \(known).")
        }
        return route
    }
}
