// SPDX-License-Identifier: Apache-2.0

import HTTP
import Kernel
import ServiceTesting
import Testing

@testable import RemoteAPI

/// Commands of the event channel have the results of their routes.
@Suite struct CommandTableTests {
    let api = APIHarness()

    private func command(_ name: String, _ data: String) throws -> [String: JSONValue] {
        guard
            case .accepted(let session, _) = api.api.webSockets.accept(api.request("GET", "/api/v1/events?events=time"))
        else { throw Failure() }
        let wakes = Mailbox<Void>()
        let deadline = MonotonicTime.now.advanced(bySeconds: 5)
        session.opened { wakes.post(()) }
        session.received(text: #"{"type":"command","id":1,"command":"\#(name)","data":\#(data)}"#)
        repeat {
            while case .text(let bytes)? = session.nextFrame() {
                let json = try JSONValue.parse(String(decoding: bytes.bytes, as: UTF8.self))
                if json["type"]?.text == "reply" { return json }
            }
        } while !wakes.take(until: deadline).isEmpty
        throw Failure()
    }

    private struct Failure: Error {}

    @Test(arguments: [
        ("seek", "POST", "/player/seek", #"{"progress":2}"#), ("settings", "PATCH", "/player", #"{"volume":9}"#),
        ("queue.replace", "PUT", "/queue", #"{"items":[{"uri":"a"}],"index":1}"#),
        ("queue.move", "POST", "/queue/move", #"{"ids":["i1"]}"#), ("outputs.select", "PUT", "/outputs/current", "{}"),
        ("session", "PATCH", "/session", "{}"), ("announce", "POST", "/announcements", #"{"uri":"a.mp3"}"#),
        ("interruption", "POST", "/session/interruptions", #"{"type":"x"}"#),
    ])
    func refusalIsThatOfTheRoute(name: String, method: String, path: String, data: String) throws {
        let answer = try api.send(method, "/api/v1" + path, data)
        let reply = try command(name, data)
        #expect(answer.status >= 400 && reply["status"]?.integer == Int64(answer.status))
        #expect(reply["problem"] == .object(try answer.json()))
        #expect(api.player.commands.isEmpty)
    }

    @Test func resultIsThatOfTheRoute() throws {
        let answer = try api.send("POST", "/api/v1/queue/shuffle").json()
        let reply = try command("queue.shuffle", "{}")
        #expect(reply["result"]?["length"] == answer["length"] && reply["result"]?["revision"] == .integer(9))
        let added = try command("queue.add", #"{"items":[{"uri":"x.mp3"}]}"#)
        #expect(added["status"] == .integer(201) && added["result"]?["count"] == .integer(1))
    }
}
