// SPDX-License-Identifier: Apache-2.0

import HTTP
import Playback
import Service
import Synchronization
import Testing
import ServiceTesting

@testable import RemoteAPI

@Suite struct PlayersRoutesTests {
    let roster = ScriptedRoster()
    let api: APIHarness

    init() { api = APIHarness(roster: roster) }

    private func add(_ body: String) throws -> HTTPResponse { try api.send("POST", "/api/v1/players", body) }

    /// Type, player and change of all frames that wait for the client; code and reason of a close frame.
    private func summaries(_ session: any WebSocketSession) throws -> [String] {
        try frames(session).map { frame in
            let code = frame["code"]?.integer.map { "\($0)" }
            let parts = [frame["type"]?.text, frame["player"]?.text, code, frame["reason"]?.text]
            return (parts + [frame["data"]?["change"]?.text]).compactMap(\.self).joined(separator: " ")
        }
    }

    @Test func addedPlayerIsListed_afterMain() throws {
        let answer = try add(#"{"id":"b","name":"Bath"}"#)
        #expect(answer.status == 201 && answer.headers["Location"] == "/api/v1/players/b")
        #expect(try answer.json()["name"]?.text == "Bath")
        _ = try add(#"{"id":"a"}"#)
        let list = try #require(try api.send("GET", "/api/v1/players").json()["players"]?.list)
        #expect(list.map { $0["id"]?.text } == ["main", "a", "b"])
        #expect(list.map { $0["href"]?.text } == ["/api/v1/player", "/api/v1/players/a", "/api/v1/players/b"])
    }

    @Test func blankNameIsRefused() throws {
        #expect(try add(#"{"id":"b","name":" \u2003"}"#).member == "name")
        #expect(try api.send("PATCH", "/api/v1/player", #"{"name":"  "}"#).member == "name")
        #expect(PlayerSettings.isName(" a ") && !PlayerSettings.isName("\u{a0}"))
    }

    @Test func commandsGoToThePlayerOfThePath() throws {
        _ = try add(#"{"id":"a"}"#)
        #expect(try api.send("POST", "/api/v1/players/a/pause").status == 200)
        #expect(try api.send("PATCH", "/api/v1/players/a", #"{"name":"A","volume":0.5}"#).status == 200)
        #expect(try api.send("PUT", "/api/v1/players/a/outputs/current", #"{"id":null}"#).status == 200)
        #expect(api.player.commands.isEmpty && roster["a"]?.commands.count == 3)
        if case .apply(let patch) = roster["a"]?.commands[1] {
            #expect(patch.name == "A" && patch.volume == 0.5)
        } else {
            Issue.record("no settings")
        }
        let added = try api.send("POST", "/api/v1/players/a/queue/items", #"{"items":[{"uri":"x.mp3"}]}"#)
        #expect(added.headers["Location"] == "/api/v1/players/a/queue/items/i100" || added.status == 201)
        #expect(added.headers["Location"]?.hasPrefix("/api/v1/players/a/queue/items/") == true)
        #expect(try api.send("GET", "/api/v1/players/a").json()["id"]?.text == "a")
        #expect(try api.send("GET", "/api/v1/player").json()["id"]?.text == "main")
    }

    @Test func playlistOfAPlayersPath_isMadeOfItsQueue_andPlayedByIt() throws {
        _ = try add(#"{"id":"a"}"#)
        let body = #"{"name":"n","fromQueue":true}"#
        let made = try api.send("POST", "/api/v1/players/a/playlists", body)
        #expect(made.status == 201 && made.headers["Location"] == "/api/v1/players/a/playlists/p3")
        #expect(try made.json()["length"]?.integer == 2)
        #expect(try api.send("POST", "/api/v1/playlists", body).json()["length"]?.integer == 3)
        #expect(try api.send("POST", "/api/v1/players/a/playlists/p2/play").status == 200)
        #expect(api.player.commands.isEmpty && roster["a"]?.commands.count == 1)
        for (path, body) in [("", body), ("/p2/play", "{}")] {
            #expect(try api.send("POST", "/api/v1/players/b/playlists" + path, body).code == "unknown-player")
        }
    }

    @Test func tagsDifferBetweenPlayers_andFromThoseOfASuccessor() throws {
        _ = try add(#"{"id":"a"}"#)
        let path = "/api/v1/players/a/queue"
        let tag = try #require(try api.send("GET", path).headers["ETag"])
        #expect(try api.send("GET", "/api/v1/queue").headers["ETag"] != tag)
        #expect(try api.send("POST", path + "/shuffle", headers: ["If-Match": tag]).status == 200)
        #expect(try api.send("DELETE", "/api/v1/players/a").status == 204)
        _ = try add(#"{"id":"a"}"#)
        #expect(try api.send("POST", path + "/shuffle", headers: ["If-Match": tag]).status == 412)
    }

    @Test func idempotencyKeyBelongsToOnePlayer_onAllItsPaths() throws {
        _ = try add(#"{"id":"a"}"#)
        let key = ["Idempotency-Key": "k"]
        #expect(try api.send("POST", "/api/v1/player/pause", headers: key).status == 200)
        let again = try api.send("POST", "/api/v1/players/main/pause", headers: key)
        #expect(again.headers["Idempotency-Replayed"] == "true")
        #expect(try api.send("POST", "/api/v1/players/a/pause", headers: key).code == "idempotency-key-reused")
        #expect(roster["a"]?.commands.isEmpty == true)
    }

    @Test func refusalsNameTheirReason() throws {
        #expect(try api.send("DELETE", "/api/v1/player").code == "main-player")
        #expect(try api.send("DELETE", "/api/v1/players/x").code == "unknown-player")
        roster.state.withLock { $0.problem = .busy("later") }
        #expect(try add("{}").status == 503)
        #expect(try APIHarness().send("POST", "/api/v1/players").status == 503)
    }

    @Test(arguments: [
        #"{"id":""}"#, #"{"id":"-a"}"#, #"{"id":"a.b"}"#, #"{"id":"123456789012345678901234567890123"}"#,
        #"{"name":""}"#, #"{"name":"a\u0007"}"#, #"{"what":1}"#,
    ])
    func invalidDraftIsRefused(body: String) throws {
        #expect(try add(body).status == 422)
        #expect(roster.state.withLock { $0.drafts }.isEmpty)
    }

    @Test func interruptionIsForAllPlayers() throws {
        let answer = try api.send("POST", "/api/v1/session/interruptions", #"{"type":"began"}"#)
        #expect(answer.status == 200 && roster.state.withLock { $0.notices }.count == 1)
        #expect(api.player.commands.isEmpty)
    }

    @Test func eachChannelReportsItsPlayer_andAddedPlayers() throws {
        _ = try add(#"{"id":"a"}"#)
        let (main, own) = (try api.open("/api/v1/events"), try api.open("/api/v1/players/a/events"))
        roster["a"]?.tell(.queueEnded)
        #expect(try summaries(main) == ["hello main", "snapshot main"])
        #expect(try summaries(own) == ["hello a", "snapshot a", "queue-ended a"])
        _ = try add(#"{"id":"b"}"#)
        var settings = PlayerSettings()
        settings.name = "A"
        roster["a"]?.change { $0.settings = settings }
        roster["a"]?.tell(.settings(settings))
        settings.volume = 0
        roster["a"]?.tell(.settings(settings))
        #expect(try summaries(main) == ["players main added", "players main changed"])
        #expect(try summaries(own) == ["players a added", "settings a", "players a changed", "settings a"])
    }

    @Test func channelOfARemovedPlayer_reportsItAndEnds() throws {
        _ = try add(#"{"id":"a"}"#)
        let (main, own) = (try api.open("/api/v1/events"), try api.open("/api/v1/players/a/events"))
        _ = (try summaries(main), try summaries(own))
        #expect(try api.send("DELETE", "/api/v1/players/a").status == 204)
        #expect(try summaries(main) == ["players main removed"])
        #expect(try summaries(own) == ["players a removed", "close 1001 The player was removed."])
        #expect(throws: APIHarness.Refusal(status: 404)) { try api.open("/api/v1/players/a/events") }
        #expect(try api.send("GET", "/api/v1/players/a").code == "unknown-player")
    }

    /// The last time of an item has no number.
    @Test func numbersOfAllPlayersRise_afterTheEndOfAnItem() throws {
        for id in ["a", "b"] { _ = try add(#"{"id":"\#(id)"}"#) }
        let session = try api.open("/api/v1/events?players=all")
        _ = try summaries(session)
        let item = ItemID(number: 1)
        roster["a"]?.tell(.jumped(PositionClock(), itemID: item))
        roster["a"]?.tell(.completed(item, reason: .finished))
        roster["b"]?.tell(.queueEnded)
        let found = try summaries(session)
        #expect(found == ["time a", "completed a", "queue-ended b"])
    }

    @Test func resync_doesNotHoldTheLockOfTheNumbers() throws {
        _ = try add(#"{"id":"a"}"#)
        let session = try api.open("/api/v1/events?players=all")
        _ = try summaries(session)
        for _ in 0..<1000 { roster["a"]?.tell(.queueEnded) }
        let isFree = Mutex<Bool?>(nil)
        let players = api.api.players
        roster["a"]?.state.withLock {
            $0.onWindow = { isFree.withLock { $0 = players.sequence.withLockIfAvailable { _ in true } ?? false } }
        }
        #expect(try summaries(session) == ["resync a", "snapshot a"])
        #expect(isFree.withLock { $0 } == true)
        roster["a"]?.tell(.queueEnded)
        #expect(try summaries(session) == ["queue-ended a"])
    }

    @Test func aClientThatLeaves_whileItGetsAPlayer_isForgotten() throws {
        _ = try add(#"{"id":"a"}"#)
        let players = api.api.players
        let (own, other) = (try #require(players["main"]).hub, try #require(players["a"]).hub)
        let feed = EventFeed(try EventRequest(api.request("GET", "/api/v1/events")), own: own, players: players)
        feed.connect {}
        // Called before the hub knows the subscriber.
        roster["a"]?.state.withLock { $0.onWindow = { feed.disconnect() } }
        feed.add(other)
        #expect(own.subscriberCount == 0 && other.subscriberCount == 0)
    }

    @Test func aStateOfTheServer_isTheSameInEveryChannel() throws {
        _ = try add(#"{"id":"a"}"#)
        let (main, own) = (try api.open("/api/v1/events"), try api.open("/api/v1/players/a/events"))
        let all = try api.open("/api/v1/events?players=all")
        _ = (try summaries(main), try summaries(own), try summaries(all))
        api.api.observe(.cache(CacheStatus(limit: 1)))
        #expect(try summaries(main) == ["cache main"])
        #expect(try summaries(own) == ["cache a"])
        #expect(try summaries(all) == ["cache main"])
    }

    @Test func eventsOfOtherParts_areReported_whileThePlayerHangs() throws {
        _ = try add(#"{"id":"a"}"#)
        let own = try api.open("/api/v1/players/a/events")
        _ = try summaries(own)
        roster["a"]?.state.withLock { $0.hangs = true }
        api.api.observe(.stream(.disabled, of: "a"))
        #expect(try summaries(own) == ["recording a"])
    }

    @Test func existenceOfPlayers_needsTheScopeRead() throws {
        var access = AccessPolicy()
        access.anonymous = .nobody
        let api = APIHarness(access: access, roster: roster)
        _ = try roster.add(PlayerDraft(id: "a"))
        for id in ["a", "b", "main"] { #expect(try api.send("GET", "/api/v1/players/\(id)").status == 401) }
    }

    @Test(
        arguments: [
            ("/api/v1/player", nil, "/api/v1/player"), ("/api/v1/players", nil, "/api/v1/players"),
            ("/api/v1/players/a", "a", "/api/v1/player"), ("/api/v1/players/a/", "a", "/api/v1/player/"),
            ("/api/v1/players/a/play", "a", "/api/v1/player/play"), ("/api/v1/players/a/queue", "a", "/api/v1/queue"),
            ("/api/v1/players/a/queue/items/i1", "a", "/api/v1/queue/items/i1"),
            ("/api/v1/players/a/playlists/p1/play", "a", "/api/v1/playlists/p1/play"),
            ("/api/v1/players/a/session", "a", "/api/v1/player/session"), ("/api/v1/players/", "", "/api/v1/player"),
            ("/api/v1/players/a/eventsful", "a", "/api/v1/player/eventsful"), ("/index.html", nil, "/index.html"),
        ] as [(String, String?, String)])
    func pathIsSplit(path: String, player: String?, route: String) {
        #expect(PlayerPath.split(path) == (player, route))
    }

    @Test(arguments: [
        ("/api/v1/player", "/api/v1/players/a"), ("/api/v1/player/play", "/api/v1/players/a/play"),
        ("/api/v1/queue?limit=1", "/api/v1/players/a/queue?limit=1"), ("/api/v1/events", "/api/v1/players/a/events"),
        ("/api/v1/outputs/current", "/api/v1/players/a/outputs/current"), ("/api/v1/players", "/api/v1/players"),
        ("/api/v1/announcements/s1", "/api/v1/players/a/announcements/s1"), ("/api/v1/sfx", "/api/v1/players/a/sfx"),
        ("/api/v1/timers", "/api/v1/players/a/timers"), ("/api/v1/renders/r1", "/api/v1/players/a/renders/r1"),
        ("/api/v1/playlists/p1", "/api/v1/players/a/playlists/p1"), ("/api/v1/session", "/api/v1/session"),
        ("/metrics", "/metrics"),
    ])
    func pathIsThePlayersOwn(path: String, own: String) {
        #expect(PlayerPath(id: "a").of(path) == own)
        #expect(PlayerPath.main.of(path) == path)
    }
}
