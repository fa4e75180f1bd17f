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
                let patch = try call.body(SettingsRequest.self).patch
                if let leader = patch.leader ?? nil { try services.checkLeader(leader) }
                services.perform(.apply(patch), reply: reply) { .json(services.encode($0)) }
            },
            .post(base + "/play", performing(PlayRequest.self) { .play($0.target, position: $0.position) }),
            .post(base + "/pause", performing(EmptyBody.self) { _ in .pause }),
            .post(base + "/toggle", performing(EmptyBody.self) { _ in .toggle }),
            .post(base + "/stop", performing(StopRequest.self) { .stop(drain: $0.drain) }),
            .post(base + "/next", performing(EmptyBody.self) { _ in .next }),
            .post(base + "/previous", performing(EmptyBody.self) { _ in .previous }),
            .post(base + "/seek", performing(SeekRequest.self) { .seek($0.target) }),
            .post(base + "/scan", performing(ScanRequest.self) { .scan(rate: $0.rate) }),
            .delete(base + "/scan", performing(EmptyBody.self) { _ in .endScan }),
        ]
    }

    /// Reads the body, performs what it asks for, answers with the state after it.
    private func performing<Body: JSONReadable & SendableMetatype>(
        _ type: Body.Type, _ command: @escaping @Sendable (Body) -> PlayerCommand
    ) -> Route.Handler {
        { call, reply throws(Problem) in
            services.perform(command(try call.body(type)), reply: reply) { .json(services.encode($0)) }
        }
    }
}
