// SPDX-License-Identifier: Apache-2.0

import HTTP
import Playback

/// `/outputs`: the devices, and which one is used.
struct OutputRoutes: Sendable {
    let services: Services

    var routes: [Route] {
        [
            .get("/api/v1/outputs") { _, reply throws(Problem) in
                reply(Self.list(services.player.snapshot))
            },
            .put("/api/v1/outputs/current") { call, reply throws(Problem) in
                let id = try call.body(OutputRequest.self).id
                services.perform(.selectOutput(id), reply: reply) { Self.list($0) }
            },
            .patch("/api/v1/outputs") { call, reply throws(Problem) in
                var patch = SettingsPatch()
                patch.routePolicy = try call.body(OutputPolicyRequest.self).policy
                services.perform(.apply(patch), reply: reply) { Self.list($0) }
            },
        ]
    }

    private static func list(_ snapshot: PlayerSnapshot) -> HTTPResponse {
        .json(
            JSONWriter.object {
                $0.members(ofOutputs: snapshot.output, policy: snapshot.settings.routePolicy)
            })
    }
}
