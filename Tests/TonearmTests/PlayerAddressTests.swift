// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import tonearm

@Suite struct PlayerAddressTests {
    @Test(arguments: [
        ("/api/v1/player", "/api/v1/players/a"), ("/api/v1/player/play", "/api/v1/players/a/play"),
        ("/api/v1/queue?limit=1", "/api/v1/players/a/queue?limit=1"), ("/api/v1/events", "/api/v1/players/a/events"),
        ("/api/v1/outputs/current", "/api/v1/players/a/outputs/current"), ("/api/v1/players", "/api/v1/players"),
        ("/api/v1/announcements/s1", "/api/v1/players/a/announcements/s1"), ("/api/v1/sfx", "/api/v1/players/a/sfx"),
        ("/api/v1/timers", "/api/v1/players/a/timers"), ("/api/v1/renders/r1", "/api/v1/players/a/renders/r1"),
        ("/api/v1/playlists", "/api/v1/playlists"), ("/api/v1/session", "/api/v1/session"), ("/metrics", "/metrics"),
    ])
    func pathIsThePlayersOwn(path: String, own: String) {
        #expect(PlayerAddress(id: "a").path(path) == own)
        #expect(PlayerAddress(id: nil).path(path) == path)
    }

    @Test(arguments: [
        ("music.wav", "music-a.wav"), ("/x.y/music", "/x.y/music-a"), ("/x/.wav", "/x/.wav-a"),
        ("/x/a.b.wav", "/x/a.b-a.wav"),
    ])
    func fileOfEachPlayerIsAnother(path: String, own: String) {
        #expect(Server.path(path, of: "a") == own)
    }
}
