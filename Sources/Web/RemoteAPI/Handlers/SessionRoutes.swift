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
                reply(.json(Self.encode(try services.server.sessionStatus())))
            },
            .command("session", .patch, Self.path) { command, reply throws(Problem) in
                let request = try command.requiredBody(SessionChange.self).request
                services.server.changeSession(request) { reply($0.map { Outcome(Self.encode($0)) }) }
            },
            .put(Self.path) { call, reply throws(Problem) in
                let request = try call.command.requiredBody(SessionChange.self).replacing
                services.server.changeSession(request, reply: object(reply) { $0.members(of: $1) })
            },
            .command("interruption", .post, Self.path + "/interruptions") { command, reply throws(Problem) in
                let notice = try command.body(InterruptionRequest.self).notice
                services.verbs.interrupt(notice) { reply($0.map { Outcome(services.encode($0)) }) }
            },
        ]
    }

    private static func encode(_ status: SessionStatus) -> [UInt8] { JSONWriter.object { $0.members(of: status) } }
}
