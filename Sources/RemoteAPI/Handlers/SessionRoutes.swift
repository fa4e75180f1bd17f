// SPDX-License-Identifier: Apache-2.0

import HTTP
import Playback
import Session

/// `/session`: who may sound.
struct SessionRoutes: Sendable {
    let services: Services

    var routes: [Route] {
        [
            .get("/api/v1/session") { _, reply throws(Problem) in
                reply(Self.show(try services.requireSession().status))
            },
            .patch("/api/v1/session") { call, reply throws(Problem) in
                try change(call.requiredBody(SessionChange.self).request, reply)
            },
            .put("/api/v1/session") { call, reply throws(Problem) in
                try change(call.requiredBody(SessionChange.self).replacing, reply)
            },
            .post("/api/v1/session/interruptions") { call, reply throws(Problem) in
                let notice = try call.body(InterruptionRequest.self).notice
                guard let roster = services.roster else {
                    return services.perform(.interruption(notice), reply: reply) { .json(services.encode($0)) }
                }
                roster.interrupt(notice) { reply(.json(services.encode(services.player.snapshot))) }
            },
        ]
    }

    private func change(_ request: SessionRequest, _ reply: @escaping Reply) throws(Problem) {
        try services.requireSession().change(request) { result in
            switch result {
            case .success(let status): reply(Self.show(status))
            case .failure(let problem): reply(Problem(problem).response)
            }
        }
    }

    private static func show(_ status: SessionStatus) -> HTTPResponse {
        .json(JSONWriter.object { $0.members(of: status) })
    }
}

extension Services {
    fileprivate func requireSession() throws(Problem) -> any SessionControl {
        guard let session else { throw .notFound("This server has no audio session.", code: "no-session") }
        return session
    }
}
