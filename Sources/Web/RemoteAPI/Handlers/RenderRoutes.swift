// SPDX-License-Identifier: Apache-2.0

import HTTP
import Service

/// `/renders`: files of what the player would sound like.
struct RenderRoutes: Sendable {
    private static let base = "/api/v1/renders"

    let services: Services

    var routes: [Route] {
        let (verbs, path) = (services.verbs, services.path)
        return [
            .get(Self.base) { _, reply throws(Problem) in
                let renders = try verbs.renders()
                reply(.json { $0.members(of: renders, path) })
            },
            .post(Self.base, largestBody: Route.listBody) { call, reply throws(Problem) in
                let order = try call.body.read(RenderOrder.self)
                verbs.render(
                    order, for: call.caller,
                    reply: answering(reply) { job in
                        let place = path.of("\(Self.base)/\(job.id)")
                        return .json(status: 202, [("Location", place)]) { $0.members(of: job, path) }
                    })
            },
            .get(Self.base + "/{id}") { call, reply throws(Problem) in
                let job = try verbs.renderJob(call.parameters[0])
                reply(.json { $0.members(of: job, path) })
            },
            .delete(Self.base + "/{id}") { call, reply throws(Problem) in
                verbs.removeRender(call.parameters[0], for: call.caller, reply: done(reply))
            },
            // What it plays is as open as the command to play it.
            .get(Self.base + "/{id}/file", scope: .control) { call, reply throws(Problem) in
                let sent = answering(reply) { (download: RecordingDownload) throws(Problem) in
                    try download.response(to: call.request)
                }
                verbs.openRender(call.parameters[0], for: call.caller, reply: sent) { RecordingDownload($0, $1) }
            },
        ]
    }
}
