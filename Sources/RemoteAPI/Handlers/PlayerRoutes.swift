// SPDX-License-Identifier: Apache-2.0

import HTTP
import Playback

/// `/player`: the state, transport and settings. Every write answers the new state.
struct PlayerRoutes: Sendable {
    let services: Services

    var routes: [Route] {
        let base = "/api/v1/player"
        return [
            .get(base) { _, reply throws(Problem) in reply(services.snapshots.response) },
            .patch(base) { call, reply throws(Problem) in
                perform(.apply(try call.body(SettingsRequest.self).patch), reply)
            },
            .post(base + "/play") { call, reply throws(Problem) in
                let request = try call.body(PlayRequest.self)
                perform(.play(request.target, position: request.position), reply)
            },
            .post(base + "/pause") { call, reply throws(Problem) in
                _ = try call.body(EmptyBody.self)
                perform(.pause, reply)
            },
            .post(base + "/toggle") { call, reply throws(Problem) in
                _ = try call.body(EmptyBody.self)
                perform(.toggle, reply)
            },
            .post(base + "/stop") { call, reply throws(Problem) in
                perform(.stop(drain: try call.body(StopRequest.self).drain), reply)
            },
            .post(base + "/next") { call, reply throws(Problem) in
                _ = try call.body(EmptyBody.self)
                perform(.next, reply)
            },
            .post(base + "/previous") { call, reply throws(Problem) in
                _ = try call.body(EmptyBody.self)
                perform(.previous, reply)
            },
            .post(base + "/seek") { call, reply throws(Problem) in
                perform(.seek(try call.body(SeekRequest.self).target), reply)
            },
            .post(base + "/scan") { call, reply throws(Problem) in
                perform(.scan(rate: try call.body(ScanRequest.self).rate), reply)
            },
            .delete(base + "/scan") { call, reply throws(Problem) in
                _ = try call.body(EmptyBody.self)
                perform(.endScan, reply)
            },
        ]
    }

    private func perform(_ command: PlayerCommand, _ reply: @escaping Reply) {
        services.perform(command, reply: reply) { .json(services.encode($0)) }
    }
}
