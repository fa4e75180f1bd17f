// SPDX-License-Identifier: Apache-2.0

import HTTP
import Playback

/// `/session`: who may sound.
struct SessionRoutes: Sendable {
    let services: Services

    var routes: [Route] {
        [
            .post("/api/v1/session/interruptions") { call, reply throws(Problem) in
                let notice = try call.body(InterruptionRequest.self).notice
                services.perform(.interruption(notice), reply: reply) { .json(services.encode($0)) }
            }
        ]
    }
}
