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
                let request = try command.body.read(PlayRequest.self)
                services.verbs.play(
                    request.target, position: request.position, at: request.at, reply: services.state(reply))
            },
            command("pause", .post, base + "/pause") { _ in .pause },
            command("toggle", .post, base + "/toggle") { _ in .toggle },
            command("stop", .post, base + "/stop", "drain") { object throws(Problem) in
                .stop(drain: try object.flag("drain") ?? false)
            },
            command("next", .post, base + "/next") { _ in .next },
            command("previous", .post, base + "/previous") { _ in .previous },
            command("seek", .post, base + "/seek", "position", "offset", "progress") { object throws(Problem) in
                .seek(try object.seekTarget())
            },
            command("scan", .post, base + "/scan", "rate") { object throws(Problem) in
                let rate = try object.needed(
                    object.number("rate", in: -32...32), "rate", "is needed: -32...32, how many times the normal speed")
                guard rate != 0, rate != 1 else { throw object.invalid("rate", "cannot be 0 or 1") }
                return .scan(rate: rate)
            },
            command("scan-end", .delete, base + "/scan") { _ in .endScan },
            .command("settings", .patch, base) { command, reply throws(Problem) in
                let patch = try command.body.read(SettingsRequest.self).patch
                services.verbs.perform(.apply(patch), reply: services.state(reply))
            },
        ]
    }

    /// `known`: the members of its body.
    private func command(
        _ name: String, _ method: HTTPMethod, _ path: String, _ known: String...,
        make: @escaping @Sendable (StrictObject) throws(Problem) -> PlayerCommand
    ) -> Route {
        .command(name, method, path) { command, reply throws(Problem) in
            services.verbs.perform(try make(try command.body.members(known)), reply: services.state(reply))
        }
    }
}
