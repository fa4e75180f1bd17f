// SPDX-License-Identifier: Apache-2.0

import HTTP
import Playback
import Service

/// `/server`, and the paths outside `/api/v1`: health, metrics and the two contracts.
struct SystemRoutes: Sendable {
    let configuration: RemoteAPI.Configuration
    let players: PlayerTable
    let requests: RequestCounters
    let health: HealthCheck

    var routes: [Route] {
        [
            .get("/api/v1/server") { call, reply in reply(.json(server(for: call.scope ?? .read))) },
            .get("/healthz", scope: nil) { _, reply throws(Problem) in
                health.look { trouble in
                    if let trouble {
                        reply(Problem(.unavailable, "standing-still", trouble).response)
                    } else {
                        reply(.json { $0.member("status", "alive") })
                    }
                }
            },
            .get("/readyz", scope: nil) { _, reply throws(Problem) in
                for player in players.all {
                    guard let failure = player.context.player.snapshot.saveFailure else { continue }
                    throw Problem(
                        .unavailable, "not-saved", "Changes of player \(player.path.id) are refused: \(failure).")
                }
                let isAvailable = configuration.main.player.snapshot.output.availability == .available
                reply(
                    .json {
                        $0.member("status", "ready")
                        $0.member("output", isAvailable ? "available" : "unavailable")
                    })
            },
            .get("/metrics") { _, reply throws(Problem) in reply(metrics) },
            document("/openapi.yaml", configuration.openAPI),
            document("/asyncapi.yaml", configuration.asyncAPI),
        ]
    }

    /// Identity and features of the server, so that clients can distinguish servers and adapt to their features.
    private func server(for scope: AccessScope) -> [UInt8] {
        let parts = configuration.main.server.parts
        let features: [(name: String, isThere: Bool)] = [
            ("announcements", configuration.main.announcer != nil), ("cache", parts.cache != nil), ("effects", true),
            ("groups", parts.roster != nil), ("library", parts.library != nil), ("players", parts.roster != nil),
            ("playlists", parts.playlists != nil), ("recording", parts.recorder != nil),
            ("renders", parts.renders != nil), ("renditions", parts.renditions != nil),
            ("session", parts.session != nil),
            ("stream-recording", parts.streams != nil), ("timers", parts.timers != nil),
        ]
        return JSONWriter.object { writer in
            writer.member("id", configuration.serverID)
            writer.member("name", configuration.serverName)
            writer.member("version", configuration.serverVersion)
            writer.member("scope", scope.rawValue)
            writer.member("features", texts: features.filter(\.isThere).map(\.name))
        }
    }

    private var metrics: HTTPResponse {
        var text = MetricsText()
        text.head("tonearm_build_info", "gauge", "The version that runs.")
        text.sample("tonearm_build_info", [("version", configuration.serverVersion)], 1)
        let (players, now) = (players.all, Moment(configuration.clock))
        text.players(players.map { ($0.path.id, $0.context.player.snapshot) }, at: now)
        text.sounds(
            players.compactMap { player in player.context.verbs.announcer.map { (player.path.id, $0.status) } })
        text.requests(requests)
        text.events(players.map { ($0.path.id, $0.hub) })
        text.process(ProcessFacts.read())
        return .content(
            Array(text.text.utf8), "text/plain; version=0.0.4; charset=utf-8", [("Cache-Control", "no-store")])
    }

    private func document(_ path: String, _ bytes: [UInt8]) -> Route {
        .get(path, scope: nil) { _, reply in
            reply(.content(bytes, "application/yaml", [("Cache-Control", "no-cache")]))
        }
    }
}
