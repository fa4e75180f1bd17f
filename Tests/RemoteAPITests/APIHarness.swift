// SPDX-License-Identifier: Apache-2.0

import HTTP
import Playback
import PlaybackTesting
import Testing
import Kernel
import Service
import ServiceTesting

@testable import RemoteAPI

/// The whole API in memory, on a scripted player.
final class APIHarness: Sendable {
    let player: ScriptedPlayer
    let clock = ManualClock()
    let api: RemoteAPI

    init(items: Int = 3, access: AccessPolicy = AccessPolicy(), roster: ScriptedRoster? = nil) {
        player = ScriptedPlayer(items: items)
        var parts = ServerService.Parts(media: ScriptedMediaAccess())
        parts.renditions = ScriptedRenditions()
        parts.playlists = ScriptedPlaylists()
        parts.roster = roster
        var configuration = RemoteAPI.Configuration(
            main: PlayerService("main", player, server: ServerService(parts)), clock: clock, site: ScriptedSite(),
            epoch: "e1", serverVersion: "1.2.3")
        configuration.access = access
        configuration.openAPI = Array("openapi: 3.1.0".utf8)
        configuration.asyncAPI = Array("asyncapi: 3.0.0".utf8)
        api = RemoteAPI(configuration)
        roster?.begin(api)
    }

    deinit { api.shutdown() }

    func request(
        _ method: String, _ target: String, _ body: String? = nil, headers: [String: String] = [:],
        peer: HTTPPeer = .loopback
    ) -> HTTPRequest {
        let target = RequestTarget(target)
        var fields = HTTPHeaders([("Host", "localhost:8080")])
        if body != nil { fields.set("Content-Type", "application/json") }
        for (name, value) in headers { fields.set(name, value) }
        return HTTPRequest(
            method: HTTPMethod(rawValue: method), path: target.path, query: target.query, headers: fields,
            body: Array((body ?? "").utf8), peer: peer)
    }

    /// Waits for the answer, at most 5 s.
    func send(_ request: HTTPRequest) throws -> HTTPResponse {
        let answers = Mailbox<HTTPResponse>()
        api.respond(to: request) { answers.post($0) }
        return try #require(answers.take(until: MonotonicTime.now.advanced(bySeconds: 5)).first, "no answer within 5 s")
    }

    func send(
        _ method: String, _ target: String, _ body: String? = nil, headers: [String: String] = [:],
        peer: HTTPPeer = .loopback
    ) throws -> HTTPResponse {
        try send(request(method, target, body, headers: headers, peer: peer))
    }
}

extension APIHarness {
    struct Refusal: Error, Equatable {
        var status: Int
        var member: String?
    }

    /// Opens the event channel, or throws the refusal.
    func open(_ target: String = "/api/v1/events", headers: [String: String] = [:]) throws -> any WebSocketSession {
        switch api.webSockets.accept(request("GET", target, headers: headers)) {
        case .accepted(let session, _):
            session.opened {}
            return session
        case .refused(let answer): throw Refusal(status: answer.status, member: answer.member)
        }
    }

    /// Expects a problem that names the member, and no command of the player.
    func expectRefusal(
        _ method: String, _ path: String, _ body: String, _ status: Int, _ member: String?
    ) throws {
        let answer = try send(method, "/api/v1" + path, body.isEmpty ? nil : body)
        #expect(answer.status == status, "\(answer.text)")
        #expect(answer.member == member)
        #expect(answer.headers["Content-Type"] == "application/problem+json")
        #expect(player.commands.isEmpty)
    }
}

/// All frames that wait for the client; a close frame has the type `close`.
func frames(_ session: any WebSocketSession) throws -> [[String: JSONValue]] {
    var frames: [[String: JSONValue]] = []
    while let frame = session.nextFrame() {
        switch frame {
        case .text(let bytes): frames.append(try JSONValue.parse(String(decoding: bytes.bytes, as: UTF8.self)))
        case .close(let code, let reason):
            return frames + [["type": .text("close"), "code": .integer(Int64(code)), "reason": .text(reason)]]
        }
    }
    return frames
}

struct ScriptedSite: HTTPResponder {
    func respond(to request: HTTPRequest, reply: @escaping @Sendable (HTTPResponse) -> Void) {
        reply(HTTPResponse(status: 200, body: .bytes(Array("page \(request.path)".utf8))))
    }
}

extension HTTPResponse {
    var text: String {
        switch body {
        case .bytes(let bytes): String(decoding: bytes, as: UTF8.self)
        case .shared(let shared): String(decoding: shared.bytes, as: UTF8.self)
        case .none, .file, .stream, .upgrade: ""
        }
    }

    func json() throws -> [String: JSONValue] { try JSONValue.parse(text) }

    var code: String? {
        do { return try json()["code"]?.text } catch { return nil }
    }

    var member: String? {
        do { return try json()["member"]?.text } catch { return nil }
    }
}

/// Any JSON value of an answer.
enum JSONValue: Hashable {
    case null
    case flag(Bool)
    case integer(Int64)
    case number(Double)
    case text(String)
    case list([JSONValue])
    case object([String: JSONValue])

    init(_ json: JSONNode) {
        switch json.kind {
        case .null: self = .null
        case .yes, .no: self = .flag(json.kind == .yes)
        case .number: self = json.integer.map { .integer(Int64($0)) } ?? .number(json.number ?? .nan)
        case .text: self = .text(json.string ?? "")
        case .list: self = .list(json.elements.map { JSONValue($0) })
        case .object:
            self = .object(Dictionary(uniqueKeysWithValues: json.members.map { ($0.name, JSONValue($0.value)) }))
        }
    }

    static func parse(_ text: String) throws -> [String: JSONValue] {
        let limits = JSONLimits(bytes: .max, tokens: .max)
        let value = JSONValue(try JSONReader.read(Array(text.utf8), limits: limits))
        guard case .object(let members) = value else { throw Problem.malformed("no object: \(text.prefix(200))") }
        return members
    }

    var text: String? { if case .text(let text) = self { text } else { nil } }
    var integer: Int64? { if case .integer(let integer) = self { integer } else { nil } }
    var list: [JSONValue]? { if case .list(let list) = self { list } else { nil } }
    subscript(name: String) -> JSONValue? { if case .object(let members) = self { members[name] } else { nil } }
}
