// SPDX-License-Identifier: Apache-2.0

import Glibc
import HTTP
import Playback
import Service
import Testing
import Kernel
import ServiceTesting

@testable import RemoteAPI

@Suite struct QueueRoutesTests {
    let api = APIHarness()

    @Test func windowIsShown_withRevisionAndTag() throws {
        let answer = try api.send("GET", "/api/v1/queue?offset=1&limit=1")
        #expect(try answer.json()["items"]?.list?.count == 1)
        #expect(try answer.json()["length"] == .integer(3))
        let tag = try #require(answer.headers["ETag"])
        #expect(try api.send("GET", "/api/v1/queue", headers: ["If-None-Match": tag]).status == 304)
        #expect(try api.send("GET", "/api/v1/queue", headers: ["If-None-Match": "\"x\", W/" + tag]).status == 304)
        api.player.change { $0.queueRevision += 1 }
        #expect(try api.send("GET", "/api/v1/queue", headers: ["If-None-Match": tag]).status == 200)
        for query in ["offset=-1", "offset=+1", "limit=1001", "limit=x", "foo=1"] {
            #expect(try api.send("GET", "/api/v1/queue?" + query).status == 422)
        }
        #expect(try api.send("GET", "/api/v1/queue?limit=0&limit=2").status == 400)
    }

    @Test func expectedRevisionReachesThePlayer_whenIfMatchIsGiven() throws {
        let tag = try #require(try api.send("GET", "/api/v1/queue").headers["ETag"])
        #expect(try api.send("DELETE", "/api/v1/queue", headers: ["If-Match": tag]).status == 200)
        guard case .edit(.clear, expected: 7, play: false) = api.player.commands[0] else {
            return #expect(Bool(false), "\(api.player.commands)")
        }
        let stale = try api.send("DELETE", "/api/v1/queue", headers: ["If-Match": tag])
        #expect(stale.status == 412)
        #expect(stale.headers["ETag"] != nil)
        #expect(try api.send("DELETE", "/api/v1/queue", headers: ["If-Match": "*"]).status == 200)
        #expect(try api.send("DELETE", "/api/v1/queue", headers: ["If-Match": "W/" + tag]).status == 412)
        #expect(api.player.commands.count == 2)
    }

    @Test func itemsAreAdded_inOneBatch() throws {
        let answer = try api.send(
            "POST", "/api/v1/queue/items",
            #"{"items":[{"uri":"x.mp3","title":"T","headers":{"X-A":"b"},"loops":-1},{"folder":"f"}],"position":"next","play":true}"#
        )
        #expect(answer.status == 201)
        #expect(answer.headers["Location"] == "/api/v1/queue/items/\(ItemID(number: 100))")
        #expect(try answer.json()["ids"]?.list?.count == 4)
        guard case .edit(.insert(let drafts, at: .next), expected: nil, play: true) = api.player.commands[0] else {
            return #expect(Bool(false), "\(api.player.commands)")
        }
        #expect(drafts.map(\.uri) == ["x.mp3", "f/0.mp3", "f/1.mp3", "f/2.mp3"])
        #expect(drafts[0].headers == ["X-A": "b"])
    }

    @Test(arguments: ["f", "huge"])
    func truncationOfAFolderIsReported(folder: String) throws {
        for (method, path) in [("POST", "/api/v1/queue/items"), ("PUT", "/api/v1/queue")] {
            let answer = try api.send(method, path, #"{"items":[{"folder":"\#(folder)"}]}"#).json()
            #expect(answer["truncated"] == .flag(folder == "huge"))
            #expect(answer["count"] == .integer(3))
        }
    }

    @Test(
        arguments: [
            ("POST", "/queue/items", "{}", 422, "items"),
            ("POST", "/queue/items", #"{"items":[{}]}"#, 422, "items[0].uri"),
            ("POST", "/queue/items", #"{"items":[{"uri":"a"},{"uri":"a","foo":1}]}"#, 422, "items[1].foo"),
            ("POST", "/queue/items", #"{"items":[{"uri":7}]}"#, 422, "items[0].uri"),
            ("POST", "/queue/items", #"{"items":[{"uri":"a\u0000b"}]}"#, 422, "items[0].uri"),
            ("POST", "/queue/items", #"{"items":[{"uri":""}]}"#, 422, "items[0].uri"),
            ("POST", "/queue/items", #"{"items":[{"uri":"a","beginTime":-1}]}"#, 422, "items[0].beginTime"),
            ("POST", "/queue/items", #"{"items":[7]}"#, 422, "items[0]"),
            ("POST", "/queue/items", #"{"items":7}"#, 422, "items"),
            ("POST", "/queue/items", #"{"items":[{"uri":"a","loops":-2}]}"#, 422, "items[0].loops"),
            ("POST", "/queue/items", #"{"items":[{"uri":"a","headers":{"a b":"c"}}]}"#, 422, "items[0].headers.a b"),
            (
                "POST", "/queue/items", #"{"items":[{"uri":"a","headers":{"a":"c\r\nd: e"}}]}"#, 422,
                "items[0].headers.a"
            ),
            (
                "POST", "/queue/items", #"{"items":[{"uri":"a","artworkUri":"gopher://x"}]}"#, 422,
                "items[0].artworkUri"
            ),
            ("PATCH", "/queue/items/i1", #"{"artworkUri":"file:///etc/passwd"}"#, 422, "artworkUri"),
            ("POST", "/queue/items", #"{"items":[{"folder":"a","uri":"b"}]}"#, 422, "items[0].uri"),
            ("POST", "/queue/items", #"{"items":[],"position":"last"}"#, 422, "position"),
            ("POST", "/queue/items", #"{"items":[],"position":-1}"#, 422, "position"),
            ("POST", "/queue/items", #"{"items":[{"folder":"none"}]}"#, 404, "items[0].folder"),
            ("PUT", "/queue", #"{"items":[{"uri":"a"}],"index":1}"#, 422, "index"),
            ("POST", "/queue/move", #"{"ids":["i1"]}"#, 422, "position"),
            ("POST", "/queue/move", #"{"position":1}"#, 422, "ids"),
            ("POST", "/queue/remove", #"{"ids":["nope"]}"#, 404, nil),
            ("POST", "/queue/remove", #"{"ids":[1]}"#, 422, "ids[0]"),
            ("PATCH", "/queue/items/i1", #"{"uri":"x"}"#, 422, "uri"), ("DELETE", "/queue/items/x", "", 404, nil),
            ("GET", "/queue/items/i99", "", 404, nil), ("GET", "/queue/items/%2e%2e", "", 404, nil),
        ] as [(String, String, String, Int, String?)])
    func refusalNamesTheMember_whenInvalid(
        _ method: String, _ path: String, _ body: String, _ status: Int, _ member: String?
    ) throws { try api.expectRefusal(method, path, body, status, member) }

    @Test func lengthsAreBounded() throws {
        let long = String(repeating: "x", count: 4097)
        #expect(
            try api.send("POST", "/api/v1/queue/items", #"{"items":[{"uri":"\#(long)"}]}"#).member == "items[0].uri")
        let headers = (0..<33).map { "\"h\($0)\":\"v\"" }.joined(separator: ",")
        let body = #"{"items":[{"uri":"a","headers":{\#(headers)}}]}"#
        #expect(try api.send("POST", "/api/v1/queue/items", body).member == "items[0].headers")
    }

    @Test func tooManyIDs_areInvalid_notAFullQueue() {
        let body = JSONBody(Array(#"{"ids":[\#(String(repeating: "0,", count: Queue.maximumLength))0]}"#.utf8))
        for read in [JSONBody.move, JSONBody.removal] {
            let problem = #expect(throws: Problem.self) { try read(body)() }
            #expect(problem?.code == "invalid" && problem?.member == "ids")
        }
    }

    @Test func everyEditReachesThePlayer() throws {
        for (method, path, body, expected) in [
            ("PUT", "/queue", #"{"items":[{"uri":"a"}],"index":0,"play":true}"#, "replace"),
            ("POST", "/queue/move", #"{"ids":["i1","i1","i2"],"position":2}"#, "move([i1, i2], to: 2)"),
            ("POST", "/queue/remove", #"{"ids":["i1"]}"#, "remove([i1])"), ("POST", "/queue/shuffle", nil, "shuffle"),
            ("POST", "/queue/undo", nil, "undo"), ("POST", "/queue/redo", nil, "redo"),
            ("DELETE", "/queue/items/i2", nil, "remove([i2])"),
            ("PATCH", "/queue/items/i2", #"{"title":null,"loops":3}"#, "title: Optional(nil)"),
        ] as [(String, String, String?, String)] {
            let answer = try api.send(method, "/api/v1" + path, body)
            #expect(answer.status == 200, "\(path) \(answer.text)")
            #expect(String(describing: api.player.commands.last!).contains(expected), "\(api.player.commands.last!)")
        }
    }

    @Test func artworkHasTheTypeOfItsBytes() throws {
        let answer = try api.send("GET", "/api/v1/queue/items/i1/artwork")
        #expect(answer.headers["Content-Type"] == "image/jpeg")
        let tag = try #require(answer.headers["ETag"])
        #expect(try api.send("GET", "/api/v1/queue/items/i1/artwork", headers: ["If-None-Match": tag]).status == 304)
        #expect(try api.send("GET", "/api/v1/media/artwork?uri=b.mp3").code == "no-artwork")
    }

    @Test func mediaAndFoldersAreDescribed() throws {
        let media = try api.send("GET", "/api/v1/media/info?uri=a/0.mp3").json()
        #expect(media["duration"] == .integer(10))
        #expect(try api.send("GET", "/api/v1/media/info").member == "uri")
        #expect(try api.send("GET", "/api/v1/media/info?uri=gone.mp3").status == 404)
        #expect(try api.send("GET", "/api/v1/media/info?uri=text.mp3").status == 422)
        let folder = try api.send("GET", "/api/v1/browse?path=f&offset=1&limit=1").json()
        #expect(folder["length"] == .integer(3))
        #expect(folder["entries"]?.list?.first?["path"]?.text == "f/1.mp3")
        #expect(try api.send("GET", "/api/v1/browse?path=..").status == 403)
    }

    @Test func hundredThousandItems_areReadOffTheServersThread() throws {
        let items = (0..<100_000).map { "{\"uri\":\"Artist/Album/\($0) - Some title.mp3\"}" }.joined(separator: ",")
        let request = api.request("POST", "/api/v1/queue/items", "{\"items\":[\(items)]}")
        let (answers, caller) = (Mailbox<(status: Int, thread: pthread_t)>(), pthread_self())
        api.api.respond(to: request) { answers.post(($0.status, pthread_self())) }
        let answer = try #require(answers.take(until: MonotonicTime.now.advanced(bySeconds: 30)).first)
        #expect(answer.status == 201 && answer.thread != caller)
    }
}
