// SPDX-License-Identifier: Apache-2.0

import HTTP
import Playback
import PlaybackTesting
import Testing
import Kernel
import ServiceTesting

@testable import RemoteAPI

@Suite struct RoutingTests {
    let api = APIHarness()

    @Test func unknownPathIs404_whenBelowTheAPI() throws {
        #expect(try api.send("GET", "/api/v1/nothing").status == 404)
        #expect(try api.send("GET", "/api/v1/players/other").status == 404)
        #expect(try api.send("GET", "/api/v1/player/").status == 404)
        #expect(try api.send("GET", "/index.html").text == "page /index.html")
    }

    @Test func methodIs405WithAllow_whenPathExists() throws {
        let answer = try api.send("GET", "/api/v1/player/pause")
        #expect(answer.status == 405)
        #expect(answer.headers["Allow"] == "OPTIONS, POST")
        #expect(try api.send("POST", "/api/v1/player").headers["Allow"] == "DELETE, GET, HEAD, OPTIONS, PATCH")
        #expect(try api.send("OPTIONS", "/api/v1/player").status == 204)
        #expect(try api.send("HEAD", "/api/v1/player").status == 200)
        #expect(api.player.commands.isEmpty, "nothing but writes commands the player")
    }

    @Test(arguments: [
        ("GET", "/api/v1/player?x=1", "x"), ("POST", "/api/v1/player/pause?force", "force"),
        ("GET", "/api/v1/queue?offset=0&size=2", "size"), ("GET", "/api/v1/outputs?_=123", "_"),
        ("GET", "/api/v1/players/main?y=", "y"), ("PUT", "/api/v1/queue?play=true", "play"),
    ])
    func unknownQueryParameterIsRefused_andNamed(_ method: String, _ target: String, _ name: String) throws {
        let answer = try api.send(method, target, method == "PUT" ? "{\"items\":[]}" : nil)
        #expect(answer.status == 422 && answer.member == name)
        #expect(api.player.commands.isEmpty)
        #expect(try api.send("GET", "/healthz?probe=1").status == 200)
    }

    @Test func onlyListsMayBeLarge() {
        func limit(_ method: HTTPMethod, _ path: String) -> Int? { api.api.bodyLimit(method: method, path: path) }
        #expect(limit(.put, "/api/v1/queue") == 32 << 20)
        #expect(limit(.post, "/api/v1/players/main/queue/items") == 32 << 20)
        #expect(limit(.patch, "/api/v1/player") == 64 << 10)
        #expect(limit(.get, "/api/v1/player") == 64 << 10)
        #expect(limit(.post, "/nothing") == 64 << 10)
    }

    @Test func healthFails_whenPlayingStandsStill() throws {
        #expect(try api.send("GET", "/healthz").status == 200)
        api.player.change {
            $0.status = .playing; $0.clock.rate = 0
        }
        #expect(try api.send("GET", "/healthz").status == 200)
        api.clock.advance(seconds: 3)
        #expect(try api.send("GET", "/healthz").status == 503)
        api.player.change {
            $0.clock.rate = 1; $0.clock.sampledAt = api.clock.now
        }
        api.clock.advance(seconds: 1)
        #expect(try api.send("GET", "/healthz").status == 200)
        api.player.change { $0.output.availability = .unavailable("refused") }
        #expect(try api.send("GET", "/healthz").status == 503)
        #expect(try api.send("GET", "/readyz").status == 200)
    }

    @Test func healthFails_whenThePlayersThreadHangs() {
        let player = ScriptedPlayer()
        let check = HealthCheck(clock: ManualClock(), patience: 0.05) { [("main", player)] }
        let answers = Mailbox<String?>()
        func look() -> String? {
            check.look { answers.post($0) }
            return answers.take(until: .now.advanced(bySeconds: 5)).first ?? "no answer"
        }
        #expect(look() == nil)
        player.state.withLock { $0.hangs = true }
        #expect(look()?.contains("main has not answered") == true)
        // Concurrent requests share one check.
        let began = MonotonicTime.now
        for _ in 0..<100 { check.look { answers.post($0) } }
        var troubles: [String?] = []
        while troubles.count < 100, MonotonicTime.now.seconds(since: began) < 5 {
            troubles += answers.take(until: .now.advanced(bySeconds: 1))
        }
        #expect(troubles.count == 100 && troubles.allSatisfy { $0 != nil })
        player.state.withLock { $0.hangs = false }
        #expect(look() == nil)
        check.stop()
        #expect(look() == "The server is going down.")
    }

    @Test func isNotReady_whileTheStateCannotBeSaved() throws {
        let api = APIHarness()
        api.player.change { $0.saveFailure = "the disk is full" }
        let answer = try api.send("GET", "/readyz")
        #expect(answer.status == 503 && answer.code == "not-saved")
        #expect(answer.text.contains("the disk is full"))
        api.player.change { $0.saveFailure = nil }
        #expect(try api.send("GET", "/readyz").status == 200)
    }

    @Test func metricsAreWellFormed() throws {
        _ = try api.send("GET", "/api/v1/player")
        let text = try api.send("GET", "/metrics").text
        #expect(
            text.contains("tonearm_http_requests_total{method=\"GET\",route=\"/api/v1/player\",status=\"200\"} 1\n"))
        #expect(text.contains("tonearm_build_info{version=\"1.2.3\"} 1\n"))
        #expect(text.contains("tonearm_player_status{player=\"main\",status=\"idle\"} 1\n"))
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            #expect(line.split(separator: " ").count == 2, "\(line)")
            #expect(Double(line.split(separator: " ").last!) != nil, "\(line)")
        }
        #expect(try api.send("GET", "/openapi.yaml").text == "openapi: 3.1.0")
        #expect(try api.send("GET", "/asyncapi.yaml").headers["Content-Type"] == "application/yaml")
    }
}
