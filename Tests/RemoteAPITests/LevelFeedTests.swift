// SPDX-License-Identifier: Apache-2.0

import Audio
import HTTP
import Playback
import ServiceTesting
import Testing

@testable import RemoteAPI

@Suite struct LevelFeedTests {
    let api = APIHarness()

    private func open(_ query: String) throws -> any WebSocketSession { try api.open("/api/v1/events?\(query)") }

    /// SPEC 288.
    @Test func tapExistsOnlyWithAListener() throws {
        let usual = try open("interval=1")
        #expect(api.player.tap == nil)
        let first = try open("events=levels")
        weak let tap = api.player.tap
        #expect(tap != nil)
        let second = try open("events=spectrum")
        #expect(api.player.tap === tap)
        _ = try frames(first)
        first.received(text: #"{"type":"subscribe","events":["time"]}"#)
        #expect(api.player.tap === tap)
        second.closed()
        #expect(api.player.tap == nil && tap == nil)
        first.received(text: #"{"type":"subscribe","events":["levels"],"levelsInterval":0.5,"bands":64}"#)
        #expect(api.player.tap != nil)
        let reply = try #require(try frames(first).last)
        #expect(reply["result"]?["levelsInterval"] == .number(0.5) && reply["result"]?["bands"] == .integer(64))
        first.closed()
        #expect(api.player.tap == nil)
        withExtendedLifetime(usual) {}
    }

    /// 1/30 has no exact decimals.
    @Test func levelsAreSentAtMostThirtyTimesASecond() throws {
        let session = try open("events=levels&levelsInterval=0.033")
        _ = try frames(session)
        session.received(text: #"{"type":"subscribe","levelsInterval":0.0331}"#)
        guard case .number(let seconds)? = try frames(session).last?["result"]?["levelsInterval"] else {
            return #expect(Bool(false), "no interval")
        }
        #expect(abs(seconds - 1.0 / 30) < 1e-5)
    }

    @Test func levelsAreSentAtTheirInterval_latestOnly_andOnlyOnRequest() throws {
        api.player.change { $0.clock.rate = 1 }
        let usual = try open("interval=60")
        let listener = try open("events=levels,spectrum&levelsInterval=0.05&bands=64")
        _ = (try frames(usual), try frames(listener))
        let hub = try #require(api.api.players.channel(of: "main")).hub
        let ring = try #require(api.player.tap).begin(AudioFormat(sampleRate: 48_000, layout: .stereo))
        ring.write([Float](repeating: 0.5, count: 19_200), at: 0, frames: 9_600)
        api.player.state.withLock { $0.heard = 9_600 }
        _ = hub.ticker.tick()
        for _ in 0..<3 {
            api.clock.advance(seconds: 0.05)
            _ = hub.ticker.tick()
        }
        let all = try frames(listener)
        #expect(all.map { $0["type"]?.text }.sorted { ($0 ?? "") < ($1 ?? "") } == ["levels", "spectrum"])
        let levels = try #require(all.first { $0["type"]?.text == "levels" })
        #expect(levels["seq"] == nil && levels["data"]?["channels"]?.list?.count == 2)
        let spectrum = try #require(all.first { $0["type"]?.text == "spectrum" })
        #expect(spectrum["data"]?["bands"]?.list?.count == 64)
        #expect(try frames(usual).isEmpty)
        withExtendedLifetime(ring) {}
    }

    @Test(
        arguments: [
            ("levelsInterval=0.0329", "levelsInterval"), ("levelsInterval=0", "levelsInterval"),
            ("levelsInterval=1.1", "levelsInterval"), ("levelsInterval=nan", "levelsInterval"), ("bands=16", "bands"),
            ("bands=x", "bands"), ("events=level", "events"),
        ])
    func invalidSubscriptionsAreRefused(query: String, member: String) throws {
        #expect(throws: APIHarness.Refusal(status: 422, member: member)) { try open(query) }
        let (name, value) = (String(query.split(separator: "=")[0]), String(query.split(separator: "=")[1]))
        guard Double(value)?.isFinite == true else { return }
        let session = try open("")
        _ = try frames(session)
        session.received(text: #"{"type":"subscribe","id":1,"\#(name)":\#(value)}"#)
        let reply = try #require(try frames(session).first)
        #expect(reply["status"] == .integer(422) && reply["problem"]?["member"]?.text == member)
    }
}
