// SPDX-License-Identifier: Apache-2.0

import HTTP
import Playback
import Service

/// `/session`: the audio session.
struct SessionRoutes: Sendable {
    private static let path = "/api/v1/session"

    let services: Services

    var routes: [Route] {
        [
            .get(Self.path) { _, reply throws(Problem) in
                let status = try services.server.sessionStatus()
                reply(.json { $0.members(of: status) })
            },
            .command("session", .patch, Self.path) { command, reply throws(Problem) in
                let request = try command.body.required().read(SessionRequest.self)
                services.server.changeSession(request, reply: object(reply) { $0.members(of: $1) })
            },
            .put(Self.path) { call, reply throws(Problem) in
                let request = try call.body.required().read(SessionRequest.self).replacing
                services.server.changeSession(request, reply: object(reply) { $0.members(of: $1) })
            },
            .command("interruption", .post, Self.path + "/interruptions") { command, reply throws(Problem) in
                let notice = try command.body.read(InterruptionNotice.self)
                services.verbs.interrupt(notice, reply: services.state(reply))
            },
        ]
    }
}
