// SPDX-License-Identifier: Apache-2.0

import HTTP
import Kernel
import Playback
import Service
import PlaybackTesting
import Testing
import ServiceTesting

@testable import RemoteAPI

@Suite struct AccessTests {
    @Test(arguments: [
        ("localhost", 200), ("localhost:", 200), ("LOCALHOST:80", 200), ("127.0.0.1:8080", 200), ("[::1]:8080", 200),
        ("192.168.1.7", 200), ("jukebox", 200), ("jukebox.local:8080", 200), ("music.example", 200),
        ("evil.example", 403), ("localhost.evil.example", 403), ("127.0.0.1.evil.example", 403), ("999.1.1.1", 403),
        ("localhost:99999", 403), ("", 400),
    ])
    func hostDecides(_ host: String, _ status: Int) throws {
        let api = APIHarness(access: AccessPolicy(machineName: "jukebox", allowedHosts: ["music.example"]))
        #expect(try api.send("GET", "/api/v1/player", headers: ["Host": host]).status == status)
        #expect(try api.send("GET", "/", headers: ["Host": host]).status == status)
    }

    @Test(arguments: [
        ("http://localhost:8080", 200), ("https://allowed.example", 200), ("http://localhost:8081", 403),
        ("null", 403), ("http://evil.example", 403), ("http://localhost", 403), ("", 403),
    ])
    func originDecidesOnWrites(_ origin: String, _ status: Int) throws {
        let api = APIHarness(access: AccessPolicy(allowedOrigins: ["https://allowed.example"]))
        #expect(try api.send("POST", "/api/v1/player/pause", headers: ["Origin": origin]).status == status)
        #expect(try api.send("GET", "/api/v1/player", headers: ["Origin": origin]).status == 200)
    }

    /// A proxy might check the other one of two origins.
    @Test func severalOriginsAreRefused() throws {
        let policy = AccessPolicy(allowedOrigins: ["https://allowed.example"])
        for second in ["http://evil.example", "https://allowed.example"] {
            let headers = HTTPHeaders([
                ("Host", "localhost"), ("Origin", "https://allowed.example"), ("Origin", second),
            ])
            for refuses in [true, false] {
                let request = HTTPRequest(method: .post, path: "/", headers: headers)
                #expect {
                    try policy.decide(request, .control, refusesForeignOrigin: refuses)
                } throws: {
                    ($0 as? Problem)?.code == "origin-not-allowed"
                }
            }
        }
    }

    @Test func listedOriginGetsCORSHeaders() throws {
        let api = APIHarness(access: AccessPolicy(allowedOrigins: ["https://a.example"]))
        let headers = ["Origin": "https://a.example", "Access-Control-Request-Method": "PATCH"]
        let preflight = try api.send("OPTIONS", "/api/v1/player", headers: headers)
        #expect(preflight.status == 204)
        #expect(preflight.headers["Access-Control-Allow-Methods"]?.contains("PATCH") == true)
        #expect(try api.send("GET", "/api/v1/player", headers: headers).headers["Access-Control-Allow-Origin"] != nil)
        #expect(preflight.headers.values("Access-Control-Allow-Origin") == ["https://a.example"])
        #expect(preflight.headers.values("Vary") == ["Origin"])
        let foreign = try api.send("GET", "/api/v1/player", headers: ["Origin": "https://b.example"])
        #expect(foreign.headers["Access-Control-Allow-Origin"] == nil)
    }

    /// Without these headers a browser would show the page a network error.
    @Test(arguments: [
        ("GET", "/api/v1/player", 401), ("DELETE", "/api/v1/player/play", 405), ("GET", "/api/v1/nothing", 404),
        ("GET", "/api/v1/players/none", 401),
    ])
    func listedOriginCanReadRefusals(_ method: String, _ path: String, _ status: Int) throws {
        let origin = "https://a.example"
        let api = APIHarness(access: AccessPolicy(anonymous: .nobody, allowedOrigins: [origin]))
        let refused = try api.send(method, path, headers: ["Origin": origin])
        #expect(refused.status == status)
        #expect(refused.headers.values("Access-Control-Allow-Origin") == [origin])
        #expect(refused.headers["Access-Control-Expose-Headers"]?.contains("WWW-Authenticate") == true)
        #expect(try api.send("GET", "/", headers: ["Origin": origin]).headers["Access-Control-Allow-Origin"] == nil)
        let large = api.api.refusal(of: api.request("PUT", "/api/v1/queue", headers: ["Origin": origin]))
        #expect(large?.status == 401 && large?.headers["Access-Control-Allow-Origin"] == origin)
    }

    @Test func scopesDecide() throws {
        let tokens = [AccessToken(secret: "r", scope: .read), AccessToken(secret: "c", scope: .control)]
        let api = APIHarness(access: AccessPolicy(tokens: tokens))
        let peer = HTTPPeer.remote("10.0.0.2")
        func status(_ method: String, _ path: String, _ token: String?) throws -> Int {
            let headers = token.map { ["Authorization": "Bearer " + $0] } ?? [:]
            return try api.send(method, path, headers: headers, peer: peer).status
        }
        #expect(try status("GET", "/api/v1/player", nil) == 401)
        #expect(try status("GET", "/api/v1/player", "r") == 200)
        #expect(try status("POST", "/api/v1/player/pause", "r") == 403)
        #expect(try status("POST", "/api/v1/player/pause", "c") == 200)
        #expect(try status("GET", "/api/v1/player", "rr") == 401)
        #expect(try status("GET", "/healthz", nil) == 200)
        #expect(try status("GET", "/metrics", nil) == 401)
        #expect(try api.send("GET", "/api/v1/player").status == 200, "loopback is open")
        #expect(try api.send("GET", "/api/v1/player", headers: ["Authorization": "Bearer x"]).status == 401)
        // Another user of the machine.
        #expect(try api.send("GET", "/api/v1/player", peer: .user(33)).status == 401)
        let right = ["Authorization": "Bearer r"]
        #expect(try api.send("GET", "/api/v1/player", headers: right, peer: .user(33)).status == 200)
    }

    /// The most recent peers may use their right token although guesses come from their address.
    @Test func knownTokensAreForgotten_theOldestFirst() {
        var failures = FailedAttempts()
        let now = MonotonicTime(nanoseconds: 1_000_000_000)
        for number in 0...FailedAttempts.maximumPeers { failures.succeeded(.remote("\(number)"), "right") }
        for number in [0, FailedAttempts.maximumPeers / 2] {
            for _ in 0..<FailedAttempts.allowed { _ = failures.record(.remote("\(number)"), now: now) }
        }
        #expect(failures.secondsToWait(.remote("\(FailedAttempts.maximumPeers / 2)"), "right", now: now) == nil)
        #expect(failures.secondsToWait(.remote("0"), "right", now: now) != nil)
    }

    @Test func guessesAreLimited() throws {
        let api = APIHarness(
            access: AccessPolicy(
                tokens: [AccessToken(secret: "right", scope: .read), AccessToken(secret: "other", scope: .admin)]))
        func status(_ token: String, _ peer: HTTPPeer, _ headers: [String: String] = [:]) throws -> Int {
            try api.send(
                "GET", "/api/v1/player", headers: headers.merging(["Authorization": "Bearer " + token]) { $1 },
                peer: peer
            ).status
        }
        let peer = HTTPPeer.remote("10.0.0.3")
        #expect(try status("right", peer) == 200)
        for _ in 0..<10 { #expect(try status("x", peer) == 401) }
        let answer = try api.send("GET", "/api/v1/player", headers: ["Authorization": "Bearer x"], peer: peer)
        #expect(answer.status == 429)
        #expect(answer.headers["Retry-After"] == "60")
        // Even a right guess is refused now.
        #expect(try status("other", peer) == 429)
        // A known user at the guesser's address is not locked out, nor are clients at other addresses.
        #expect(try status("right", peer) == 200)
        #expect(try status("other", .remote("10.0.0.4")) == 200)
        // Behind a proxy on this machine each client counts separately; a remote client cannot choose its address.
        for _ in 0..<10 { #expect(try status("x", .loopback, ["X-Forwarded-For": "1.2.3.4, 10.0.0.9"]) == 401) }
        #expect(try status("right", .loopback, ["X-Forwarded-For": "10.0.0.9"]) == 429)
        #expect(try status("right", .loopback, ["X-Forwarded-For": "10.0.0.8"]) == 200)
        for number in 0..<10 {
            #expect(try status("x", .remote("10.0.0.5"), ["X-Forwarded-For": "10.0.1.\(number)"]) == 401)
        }
        #expect(try status("other", .remote("10.0.0.5"), ["X-Forwarded-For": "10.0.2.1"]) == 429)
        api.clock.advance(seconds: 61)
        #expect(try status("x", peer) == 401 && status("other", peer) == 200)
    }

    @Test(arguments: [
        "Forwarded", "X-Forwarded-For", "x-forwarded-proto", "X-Forwarded-Host", "X-Real-IP", "Via", "CF-Connecting-IP",
    ])
    func aRequestThroughAProxyNeedsAToken(_ name: String) throws {
        let api = APIHarness(access: AccessPolicy(tokens: [AccessToken(secret: "right", scope: .admin)]))
        for (method, path) in [("GET", "/api/v1/player"), ("POST", "/api/v1/player/pause"), ("GET", "/metrics")] {
            #expect(try api.send(method, path, headers: [name: "x"]).status == 401)
            #expect(try api.send(method, path).status == 200)
            #expect(try api.send(method, path, headers: [name: "x", "Authorization": "Bearer right"]).status == 200)
        }
        #expect(try api.send("GET", "/healthz", headers: [name: "x"]).status == 200)
        let open = APIHarness(access: AccessPolicy(anonymous: .everyone))
        #expect(try open.send("GET", "/api/v1/player", headers: [name: "x"]).status == 200)
    }

    /// Fetch Metadata applies to reading and writing, but only below `/api`.
    @Test(arguments: [("cross-site", 403), ("same-site", 403), ("same-origin", 200), ("none", 200)])
    func fetchSiteDecides(_ site: String, _ status: Int) throws {
        let api = APIHarness(access: AccessPolicy(allowedOrigins: ["https://allowed.example"]))
        let headers = ["Sec-Fetch-Site": site]
        #expect(try api.send("GET", "/api/v1/player", headers: headers).status == status)
        #expect(try api.send("POST", "/api/v1/player/pause", headers: headers).status == status)
        #expect(try api.send("GET", "/", headers: headers).status == 200)
        #expect(try api.send("GET", "/healthz", headers: headers).status == 200)
        let listed = headers.merging(["Origin": "https://allowed.example"]) { $1 }
        #expect(try api.send("GET", "/api/v1/player", headers: listed).status == 200)
    }

    @Test(arguments: [("Sec-Fetch-Site", "none"), ("Idempotency-Key", "k")])
    func repeatedFieldIsRefused(name: String, value: String) throws {
        let api = APIHarness()
        for count in [1, 2] {
            let headers = [("Host", "localhost")] + Array(repeating: (name, value), count: count)
            let request = HTTPRequest(
                method: .post, path: "/api/v1/player/pause", headers: HTTPHeaders(headers), peer: .loopback)
            #expect(try api.send(request).status == (count == 1 ? 200 : 400))
        }
    }

    @Test func everyAnswerIsIsolated() throws {
        let api = APIHarness()
        for path in ["/api/v1/player", "/api/v1/nothing", "/healthz", "/api/v1/queue/items/x"] {
            let headers = try api.send("GET", path).headers
            #expect(headers.values("X-Content-Type-Options") == ["nosniff"], "\(path)")
            #expect(headers.values("Cross-Origin-Resource-Policy") == ["same-origin"], "\(path)")
        }
    }

    @Test func repeatedKeyIsCarriedOutOnce() throws {
        let api = APIHarness()
        let key = ["Idempotency-Key": "k1"]
        let first = try api.send("POST", "/api/v1/queue/items", #"{"items":[{"uri":"a"}]}"#, headers: key)
        let second = try api.send("POST", "/api/v1/queue/items", #"{"items":[{"uri":"a"}]}"#, headers: key)
        #expect(first.text == second.text)
        #expect(second.headers["Idempotency-Replayed"] == "true")
        #expect(api.player.commands.count == 1)
        #expect(try api.send("POST", "/api/v1/queue/items", #"{"items":[{"uri":"b"}]}"#, headers: key).status == 422)
        api.clock.advance(seconds: 601)
        #expect(try api.send("POST", "/api/v1/queue/items", #"{"items":[{"uri":"b"}]}"#, headers: key).status == 201)
    }
}
