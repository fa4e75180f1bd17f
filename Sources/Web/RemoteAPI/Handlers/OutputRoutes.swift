// SPDX-License-Identifier: Apache-2.0

import HTTP
import Playback
import Service

/// `/outputs`: the devices, and which one is used.
struct OutputRoutes: Sendable {
    let services: Services

    var routes: [Route] {
        [
            .get("/api/v1/outputs") { _, reply in reply(.json(Self.list(services.player.snapshot))) },
            .command("outputs.select", .put, "/api/v1/outputs/current") { command, reply throws(Problem) in
                let id = try command.body(OutputRequest.self).id
                services.verbs.perform(.selectOutput(id)) { reply($0.map { Outcome(Self.list($0)) }) }
            },
            .command("outputs.policy", .patch, "/api/v1/outputs") { command, reply throws(Problem) in
                var patch = SettingsPatch()
                patch.routePolicy = try command.body(OutputPolicyRequest.self).policy
                services.verbs.perform(.apply(patch)) { reply($0.map { Outcome(Self.list($0)) }) }
            },
        ]
    }

    private static func list(_ snapshot: PlayerSnapshot) -> [UInt8] {
        JSONWriter.object { $0.members(ofOutputs: snapshot.output, policy: snapshot.settings.routePolicy) }
    }
}
