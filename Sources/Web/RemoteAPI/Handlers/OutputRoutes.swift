// SPDX-License-Identifier: Apache-2.0

import HTTP
import Playback
import Service

/// `/outputs`: the devices, and which one is used.
struct OutputRoutes: Sendable {
    let services: Services

    var routes: [Route] {
        [
            .get("/api/v1/outputs") { _, reply in
                let snapshot = services.player.snapshot
                reply(.json { $0.outputs(of: snapshot) })
            },
            .command("outputs.select", .put, "/api/v1/outputs/current") { command, reply throws(Problem) in
                let members = try command.body.members("id")
                guard members.contains("id") else { throw members.invalid("id", "is needed: an output's id, or null") }
                // nil follows the default device again.
                let id = try members.text("id")
                services.verbs.perform(.selectOutput(id), reply: object(reply) { $0.outputs(of: $1) })
            },
            .command("outputs.policy", .patch, "/api/v1/outputs") { command, reply throws(Problem) in
                let members = try command.body.members("policy")
                var patch = SettingsPatch()
                patch.routePolicy = try members.needed(
                    members.choice("policy", RoutePolicy.self), "policy", "is needed: pause, hold or follow")
                services.verbs.perform(.apply(patch), reply: object(reply) { $0.outputs(of: $1) })
            },
        ]
    }
}
