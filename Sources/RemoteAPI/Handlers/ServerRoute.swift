// SPDX-License-Identifier: Apache-2.0

/// `/server`: who this is and what it can do, so that clients tell servers apart and offer what is there.
struct ServerRoute: Sendable {
    private let answer: [UInt8]

    init(_ configuration: RemoteAPI.Configuration) {
        let features: [(name: String, isThere: Bool)] = [
            ("announcements", configuration.announcer != nil), ("cache", configuration.cache != nil),
            ("library", configuration.library != nil), ("players", configuration.roster != nil),
            ("playlists", configuration.playlists != nil), ("recording", configuration.recorder != nil),
            ("renditions", configuration.renditions != nil), ("session", configuration.session != nil),
            ("stream-recording", configuration.streams != nil),
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
