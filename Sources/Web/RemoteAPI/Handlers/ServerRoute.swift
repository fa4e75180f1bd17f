// SPDX-License-Identifier: Apache-2.0

import Service

/// `/server`: who this is and what it can do, so that clients can distinguish servers and offer what is there.
struct ServerRoute: Sendable {
    private let answer: [UInt8]

    init(_ configuration: RemoteAPI.Configuration) {
        let parts = configuration.main.server.parts
        let features: [(name: String, isThere: Bool)] = [
            ("announcements", configuration.main.announcer != nil), ("cache", parts.cache != nil), ("effects", true),
            ("groups", parts.roster != nil), ("library", parts.library != nil), ("players", parts.roster != nil),
            ("playlists", parts.playlists != nil), ("recording", parts.recorder != nil),
            ("renders", parts.renders != nil), ("renditions", parts.renditions != nil),
            ("session", parts.session != nil),
            ("stream-recording", parts.streams != nil), ("timers", parts.timers != nil),
        ]
        answer = JSONWriter.object { writer in
            writer.member("id", configuration.serverID)
            writer.member("name", configuration.serverName)
            writer.member("version", configuration.serverVersion)
            writer.member("features", texts: features.filter(\.isThere).map(\.name))
        }
    }

    var route: Route {
        .get("/api/v1/server") { _, reply throws(Problem) in reply(.json(answer)) }
    }
}
