// SPDX-License-Identifier: Apache-2.0

import HTTP
import Playback
import Testing
import ServiceTesting

@Suite struct PlayerRoutesTests {
    let api = APIHarness()

    @Test func stateHasEveryMember_whenNothingIsKnown() throws {
        let answer = try api.send("GET", "/api/v1/player")
        #expect(answer.status == 200 && answer.headers["Cache-Control"] == "no-store")
        let members = Set(try answer.json().keys)
        for name in [
            "version", "status", "reason", "playWhenReady", "item", "queueIndex", "position", "duration", "progress",
            "listenedTime", "sampledAt", "rate", "latency", "loadedRanges", "loadedTime", "bufferProgress",
            "bufferedAhead", "volume", "muted", "balance", "playbackRate", "preservePitch", "pitch", "repeat",
            "shuffle", "consume", "stopAfterCurrent", "crossfade", "queue", "output", "error",
        ] { #expect(members.contains(name), "\(name) is missing") }
        #expect(try answer.json()["duration"] == .null)
        #expect(try answer.json()["position"] == .integer(0))
    }

    @Test func positionHoldsAtSampledAt_whilePlaying() throws {
        api.player.change {
            $0.status = .playing
            $0.clock.position = 10
            $0.clock.rate = 1
            $0.clock.duration = 20
            $0.clock.sampledAt = api.clock.now
        }
        let first = try api.send("GET", "/api/v1/player").json()
        #expect(first["position"] == .integer(10))
        api.clock.advance(seconds: 0.003)
        #expect(
            try api.send("GET", "/api/v1/player").json()["position"] == .integer(10), "within 5 ms: the same answer")
        api.clock.advance(seconds: 0.247)
        let later = try api.send("GET", "/api/v1/player").json()
        #expect(later["position"] == .number(10.25))
        #expect(later["progress"] == .number(0.5125))
        #expect(later["sampledAt"]!.integer! - first["sampledAt"]!.integer! == 250)
        api.player.change {
            $0.status = .paused; $0.clock.rate = 0
        }
        #expect(
            try api.send("GET", "/api/v1/player").json()["status"]?.text == "paused",
            "a new version is never cached over")
    }

    @Test(arguments: [
        ("POST", "/player/play", "", "play(Playback.PlayTarget.current, position: nil)"),
        ("POST", "/player/play", #"{"itemId":"i2","position":1.5}"#, "item(i2), position: Optional(1.5)"),
        ("POST", "/player/play", #"{"index":0}"#, "index(0)"), ("POST", "/player/pause", "", "pause"),
        ("POST", "/player/toggle", "{}", "toggle"), ("POST", "/player/stop", "", "stop(drain: false)"),
        ("POST", "/player/stop", #"{"drain":true}"#, "stop(drain: true)"), ("POST", "/player/next", "", "next"),
        ("POST", "/player/previous", "", "previous"),
        ("POST", "/player/seek", #"{"position":12.345}"#, "position(12.345)"),
        ("POST", "/player/seek", #"{"offset":-10}"#, "offset(-10.0)"),
        ("POST", "/player/seek", #"{"progress":0}"#, "progress(0.0)"),
        ("POST", "/player/scan", #"{"rate":-32}"#, "scan(rate: -32.0)"), ("DELETE", "/player/scan", "", "endScan"),
        ("PATCH", "/player", #"{"volume":0.5,"repeat":"all","playbackRate":1}"#, "apply"),
        ("PATCH", "/players/main", #"{"muted":true}"#, "apply"), ("POST", "/players/main/pause", "", "pause"),
        ("PUT", "/outputs/current", #"{"id":"spk"}"#, #"selectOutput(Optional("spk"))"#),
        ("PUT", "/outputs/current", #"{"id":null}"#, "selectOutput(nil)"),
    ])
    func commandReachesThePlayer_whenWellFormed(_ method: String, _ path: String, _ body: String, _ expected: String)
        throws
    {
        let answer = try api.send(method, "/api/v1" + path, body.isEmpty ? nil : body)
        #expect(answer.status == 200, "\(answer.text)")
        let command = try #require(api.player.commands.first)
        #expect(String(describing: command).contains(expected))
    }

    @Test(
        arguments: [
            ("POST", "/player/play", #"{"item":"i1"}"#, 422, "item"),
            ("POST", "/player/play", #"{"index":-1}"#, 422, "index"),
            ("POST", "/player/play", #"{"index":1.5}"#, 422, "index"),
            ("POST", "/player/play", #"{"index":0,"itemId":"i1"}"#, 422, "index"),
            ("POST", "/player/play", #"{"position":1e999}"#, 422, "position"),
            ("POST", "/player/play", #"{"position":"1"}"#, 422, "position"),
            ("POST", "/player/play", #"{"position":NaN}"#, 400, nil), ("POST", "/player/play", "{", 400, nil),
            ("POST", "/player/play", "[]", 422, ""), ("POST", "/player/play", "nonsense", 400, nil),
            ("POST", "/player/play", String(repeating: "[", count: 100), 400, nil),
            ("PATCH", "/player", #"{"volume":0.5,"volume":1}"#, 400, nil),
            ("POST", "/player/pause", #"{"a":1}"#, 422, "a"), ("POST", "/player/stop", #"{"drain":1}"#, 422, "drain"),
            ("POST", "/player/seek", "{}", 422, "position"),
            ("POST", "/player/seek", #"{"progress":1.1}"#, 422, "progress"),
            ("POST", "/player/seek", #"{"progress":-0.1}"#, 422, "progress"),
            ("POST", "/player/seek", #"{"position":1,"offset":1}"#, 422, "position"),
            ("POST", "/player/scan", #"{"rate":0}"#, 422, "rate"),
            ("POST", "/player/scan", #"{"rate":33}"#, 422, "rate"),
            ("POST", "/player/scan", "", 422, "rate"), ("PATCH", "/player", #"{"volume":1.01}"#, 422, "volume"),
            ("PATCH", "/player", #"{"repeat":"yes"}"#, 422, "repeat"),
            ("PATCH", "/player", #"{"pitch":1300}"#, 422, "pitch"),
            ("PATCH", "/player", #"{"volumeRamp":{"to":0}}"#, 422, "volumeRamp.seconds"),
            ("PATCH", "/player", #"{"volumeRamp":{"to":0,"seconds":1,"x":1}}"#, 422, "volumeRamp.x"),
            ("PUT", "/outputs/current", "{}", 422, "id"), ("PUT", "/outputs/current", #"{"id":7}"#, 422, "id"),
        ] as [(String, String, String, Int, String?)])
    func refusalNamesTheMember_whenInvalid(
        _ method: String, _ path: String, _ body: String, _ status: Int, _ member: String?
    ) throws { try api.expectRefusal(method, path, body, status, member) }

    @Test func nullIsRefused_unlessItHasAMeaning() throws {
        let settings = PlayerSettings.table.filter { $0.place == .player }
        let members = settings.map(\.key) + Set(settings.compactMap(\.object)).sorted()
        for key in members + ["levelBy", "groupLevelBy", "volumeRamp", "abLoop"] {
            let path = key.split(separator: ".").map(String.init)
            let body = path.reversed().reduce("null") { "{\"\($1)\":\($0)}" }
            let hasMeaning = key == "abLoop" || settings.contains { $0.key == key && $0.isOptional }
            let answer = try api.send("PATCH", "/api/v1/player", body)
            #expect(answer.status == (hasMeaning ? 200 : 422), "\(body) \(answer.text)")
            #expect(answer.member == (hasMeaning ? nil : key), "\(answer.text)")
        }
        #expect(api.player.commands.count == 3)
    }

    @Test func playbackErrorsBecomeStatuses() throws {
        for code in PlaybackError.Code.allCases {
            api.player.fail(PlaybackError(code, "A sentence.", member: "m"))
            let answer = try api.send("POST", "/api/v1/player/play")
            #expect((400...507).contains(answer.status))
            #expect(answer.code == code.rawValue && answer.member == "m")
            #expect(try answer.json()["detail"]?.text == "A sentence.")
        }
        api.player.fail(PlaybackError(.outputUnavailable, "No sound server."))
        #expect(try api.send("POST", "/api/v1/player/play").status == 503)
        api.player.fail(PlaybackError(.diskFull, "The disk is full."))
        #expect(try api.send("POST", "/api/v1/player/play").status == 507)
    }

    @Test func contentTypeIsChecked_whenThereIsABody() throws {
        var request = api.request("POST", "/api/v1/player/seek", #"{"position":1}"#)
        for type in ["text/plain", ";application/json", ""] {
            request.headers.set("Content-Type", type)
            #expect(try api.send(request).status == 415)
        }
        request.headers.set("Content-Type", "application/json; charset=utf-8")
        #expect(try api.send(request).status == 200)
        request.headers.set("Content-Type", "application/json; charset=latin1")
        #expect(try api.send(request).status == 415)
        request.headers.set("Content-Type", "application/json")
        request.headers.set("Content-Encoding", "identity")
        #expect(try api.send(request).status == 200)
        request.headers.set("Content-Encoding", "gzip")
        let encoded = try api.send(request)
        #expect(encoded.status == 415 && encoded.headers["Accept-Encoding"] == "identity")
    }

    @Test func outputsAreListed() throws {
        api.player.change {
            $0.output.devices = OutputDevices(
                devices: [OutputDevice(id: "spk", description: "Speakers"), OutputDevice(id: "hp", description: "HP")],
                current: "hp", isChosen: true)
        }
        let answer = try api.send("GET", "/api/v1/outputs").json()
        #expect(answer["following"]?.text == "choice")
        #expect(answer["policy"]?.text == "pause")
        #expect(answer["outputs"]?.list?.map { $0["current"] } == [.flag(false), .flag(true)])
        #expect(answer["message"] == .null)
        api.player.change { $0.output.missing = "desk" }
        let missing = "The chosen output desk is not there. It is used when it appears."
        #expect(try api.send("GET", "/api/v1/outputs").json()["message"]?.text == missing)
        let output = try api.send("GET", "/api/v1/player").json()["output"]
        #expect(output?["message"]?.text == missing && output?["available"] == .flag(true))
    }
}
