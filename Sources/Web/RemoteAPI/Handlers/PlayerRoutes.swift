// SPDX-License-Identifier: Apache-2.0

import HTTP
import Playback
import Service

/// `/player`: the state, transport and settings. Every write answers the new state.
struct PlayerRoutes: Sendable {
    let services: Services

    var routes: [Route] {
        let base = "/api/v1/player"
        return [
            .get(base) { _, reply in reply(services.snapshots.response) },
            .command("play", .post, base + "/play") { command, reply throws(Problem) in
                let request = try command.body(PlayRequest.self)
                services.verbs.play(request.target, position: request.position, at: request.at) { result in
                    reply(result.map { Outcome(services.encode($0)) })
                }
            },
            command("pause", .post, base + "/pause", EmptyBody.self) { _ in .pause },
            command("toggle", .post, base + "/toggle", EmptyBody.self) { _ in .toggle },
            command("stop", .post, base + "/stop", StopRequest.self) { .stop(drain: $0.drain) },
            command("next", .post, base + "/next", EmptyBody.self) { _ in .next },
            command("previous", .post, base + "/previous", EmptyBody.self) { _ in .previous },
            command("seek", .post, base + "/seek", SeekRequest.self) { .seek($0.target) },
            command("scan", .post, base + "/scan", ScanRequest.self) { .scan(rate: $0.rate) },
            command("scan-end", .delete, base + "/scan", EmptyBody.self) { _ in .endScan },
            .command("settings", .patch, base) { command, reply throws(Problem) in
                let patch = try command.body(SettingsRequest.self).patch
                services.verbs.perform(.apply(patch)) { result in
                    reply(result.map { Outcome(services.encode($0)) })
                }
            },
        ]
    }

    private func command<Body: JSONReadable & SendableMetatype>(
        _ name: String, _ method: HTTPMethod, _ path: String, _ type: Body.Type,
        _ make: @escaping @Sendable (Body) -> PlayerCommand
    ) -> Route {
        .command(name, method, path) { command, reply throws(Problem) in
            services.verbs.perform(make(try command.body(type))) { result in
                reply(result.map { Outcome(services.encode($0)) })
            }
        }
    }
}
