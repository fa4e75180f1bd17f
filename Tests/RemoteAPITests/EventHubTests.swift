// SPDX-License-Identifier: Apache-2.0

import HTTP
import Playback
import Testing
import Service
import ServiceTesting

@testable import RemoteAPI

@Suite struct EventHubTests {
    let api = APIHarness()

    private func types(_ session: any WebSocketSession) throws -> [String] {
        try frames(session).map { $0["type"]?.text ?? "?" }
    }

    private func send(_ kind: PlayerEvent.Kind) {
        api.player.change { _ in }
        api.api.observe(
            .player(
                PlayerEvent(version: api.player.snapshot.version, wallMilliseconds: 1, kind: kind), of: "main"))
    }

    @Test func snapshotFollowsHello_thenEventsInOrder() throws {
        send(.queueEnded)
        let session = try api.open()
        send(.settings(PlayerSettings()))
        send(.completed(ItemID(number: 1), reason: .finished))
        let all = try frames(session)
        #expect(all.map { $0["type"]?.text } == ["hello", "snapshot", "settings", "completed"])
        #expect(all.map { $0["seq"]?.integer } == [1, 1, 2, 3])
    }

    @Test func missedEventsAreReplayed_orResync() throws {
        for _ in 0..<5 { send(.queueEnded) }
        let replay = try frames(try api.open("/api/v1/events?since=e1:3&events=queue-ended"))
        #expect(replay.map { $0["seq"]?.integer } == [5, 4, 5])
        #expect(try types(try api.open("/api/v1/events?since=other:3")) == ["hello", "resync", "snapshot"])
        #expect(try types(try api.open("/api/v1/events?since=e1:99")) == ["hello", "resync", "snapshot"])
    }

    /// They are not recorded, and the loaded part may not change any more.
    @Test func timeAndLoadedPartFollow_whenAClientReturns() throws {
        send(.queueEnded)
        #expect(try types(try api.open("/api/v1/events?since=e1:1&events=time,buffer")) == ["hello", "time", "buffer"])
        #expect(try types(try api.open("/api/v1/events?since=e1:1&events=buffer")) == ["hello", "buffer"])
    }

    @Test func timeOfTheOldItemIsDropped_whenItemFollows() throws {
        let session = try api.open()
        _ = try frames(session)
        send(.jumped(PositionClock(), itemID: ItemID(number: 1)))
        send(.item(nil))
        #expect(try types(session) == ["item"])
        send(.jumped(PositionClock(), itemID: nil))
        #expect(try types(session) == ["time"])
    }

    @Test func commandIsAnswered_asRESTWould() throws {
        let session = try api.open()
        _ = try frames(session)
        session.received(text: #"{"type":"command","id":{"a":[1,"x"]},"command":"seek","data":{"position":3}}"#)
        let reply = try #require(try frames(session).first)
        #expect(reply["id"] == .object(["a": .list([.integer(1), .text("x")])]))
        #expect(reply["status"] == .integer(200) && reply["result"]?["version"] != nil)
        #expect(api.player.commands.count == 1)
    }

    @Test func commandWaitsForTheGreeting() throws {
        let session = try api.open()
        session.received(text: #"{"type":"command","id":1,"command":"seek","data":{"position":3}}"#)
        #expect(api.player.commands.isEmpty)
        #expect(try types(session) == ["hello", "snapshot", "reply"])
        #expect(api.player.commands.count == 1)
    }

    @Test func connectionEnds_afterTooManyUnreadableMessages() throws {
        let session = try api.open()
        _ = try frames(session)
        for _ in 0..<10 { session.received(text: "nonsense") }
        #expect(try frames(session).last?["code"]?.integer == 1008)
    }

    @Test(arguments: [
        #"{"type":"command","command":"seek","data":{"progress":1.1}}"#, #"{"type":"command"}"#,
        #"{"type":"command","command":"sing"}"#, #"{"type":"subscribe","interval":-1}"#, #"{"type":"sing"}"#,
    ])
    func refusedMessagesAreAnswered_withoutALimit(text: String) throws {
        let session = try api.open()
        _ = try frames(session)
        for _ in 0..<30 {
            session.received(text: text)
            #expect(try frames(session).map { $0["status"]?.integer } == [422])
        }
    }

    @Test func manyCommands_areQueued() throws {
        let session = try api.open()
        _ = try frames(session)
        for id in 0..<1_000 { session.received(text: #"{"type":"command","id":\#(id),"command":"pause"}"#) }
        #expect(try frames(session).map { $0["id"]?.integer } == (0..<1_000).map { $0 })
    }

    @Test func connectionEnds_whenRepliesAreNotRead() throws {
        let session = try api.open()
        let blanks = String(repeating: " ", count: 60_000)
        for _ in 0..<200 { session.received(text: #"{"type":"command","command":"pause"}"# + blanks) }
        #expect(try frames(session).first?["code"]?.integer == 1008)
    }

    @Test func foreignOriginIsRefused_andTheSubprotocolCanBeTheToken() throws {
        #expect(throws: APIHarness.Refusal(status: 403)) { try api.open(headers: ["Origin": "http://evil.example"]) }
        let guarded = APIHarness(
            access: AccessPolicy(tokens: [AccessToken(secret: "s3", scope: .read)], anonymous: .nobody))
        let request = guarded.request(
            "GET", "/api/v1/events", headers: ["Sec-WebSocket-Protocol": "bearer.s3, tonearm.v1"])
        guard case .accepted(let session, "tonearm.v1") = guarded.api.webSockets.accept(request) else {
            return #expect(Bool(false), "refused")
        }
        session.opened {}
        session.received(text: #"{"type":"command","id":1,"command":"pause"}"#)
        let all = try frames(session)
        #expect(all.last?["problem"]?["code"]?.text == "scope-missing")
    }

    @Test func serverSentEventsCarryIds() throws {
        let answer = try api.send("GET", "/api/v1/events?events=queue-ended", headers: ["Accept": "text/event-stream"])
        guard case .stream(let stream) = answer.body else { return #expect(Bool(false), "no stream") }
        stream.begin {}
        send(.queueEnded)
        guard case .bytes(let bytes) = stream.next() else { return #expect(Bool(false), "nothing") }
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(text.hasPrefix("id: e1:0\nevent: hello\ndata: {"))
        #expect(text.contains("\n\nid: e1:1\nevent: queue-ended\ndata: {"))
        stream.end()
        #expect(try api.send("GET", "/api/v1/events", headers: ["Accept": "image/png"]).status == 406)
    }

    @Test(arguments: [
        "interval=61", "interval=0x1", "interval=%2B1", "levelsInterval=0x1p-2", "bands=%2B32", "bands=0x20",
        "since=e1:%2B1",
    ])
    func numbersInAQuery_areDecimalAndInRange(query: String) throws {
        let answer = try api.send("GET", "/api/v1/events?" + query)
        #expect(answer.status == 422)
        #expect(answer.member == String(query.prefix { $0 != "=" }))
    }
}
