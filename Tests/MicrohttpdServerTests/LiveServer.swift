// SPDX-License-Identifier: Apache-2.0

import FrontDoor
import Glibc
import HTTP
import Logging
import MicrohttpdServer
import SocketTesting
import Synchronization

/// The responder of a `LiveServer`.
final class Script: HTTPResponder {
    typealias Reply = @Sendable (HTTPResponse) -> Void
    typealias Answer = @Sendable (HTTPRequest, @escaping Reply) -> Void

    /// nil holds every request.
    private let answer: Answer?
    let requests = Mutex<[HTTPRequest]>([])
    let held = Mutex<[Reply]>([])
    /// Limits of bodies, by path.
    let limits = Mutex<[String: Int]>([:])

    init(_ answer: Answer?) { self.answer = answer }

    func respond(to request: HTTPRequest, reply: @escaping Reply) {
        requests.withLock { $0.append(request) }
        if let answer { answer(request, reply) } else { held.withLock { $0.append(reply) } }
    }

    func bodyLimit(method: HTTPMethod, path: String) -> Int? { limits.withLock { $0[path] } }

    func refusal(of head: HTTPRequest) -> HTTPResponse? {
        head.headers["X-Refused"] == nil ? nil : HTTPResponse(status: 412)
    }
}

/// A front door and a server with a scripted responder. By default requests are held, and the test replies to them.
final class LiveServer: Sendable {
    let script: Script
    let door: FrontDoor
    private let server: MicrohttpdServer

    init(
        bodyLimit: Int = 1 << 20, bodyMemory: Int = 128 << 20, answerMemory: Int = 128 << 20,
        halfCloseSeconds: Double = 60, threads: Int? = nil, _ answer: Script.Answer? = nil
    ) throws {
        let (script, log) = (Script(answer), Logger(label: "test"))
        var configuration = MicrohttpdConfiguration()
        (configuration.bodyLimit, configuration.bodyMemory) = (bodyLimit, bodyMemory)
        (configuration.answerMemory, configuration.halfCloseSeconds) = (answerMemory, halfCloseSeconds)
        if let threads { configuration.threads = threads }
        let server = try MicrohttpdServer(configuration: configuration, log: log, responder: script)
        (self.script, self.server) = (script, server)
        door = try FrontDoor(host: "127.0.0.1", port: 0, log: log) { server.adopt($0) }
    }

    deinit { stop() }

    /// Responds with method, path and size of the body.
    static func echo(bodyLimit: Int = 1 << 20) throws -> LiveServer {
        try LiveServer(bodyLimit: bodyLimit) { request, reply in
            let text = "\(request.method.rawValue) \(request.path) \(request.body.count)"
            reply(HTTPResponse(status: 200, headers: HTTPHeaders([("X-A", "b")]), body: .bytes(Array(text.utf8))))
        }
    }

    var requests: [HTTPRequest] { script.requests.withLock { $0 } }
    /// Replies of held requests.
    var held: [Script.Reply] { script.held.withLock { $0 } }

    func client() throws -> TestSocket { try TestSocket(port: door.port) }

    func stop() {
        door.close()
        server.stop()
    }
}

/// A body that a test feeds.
final class FedStream: HTTPBodyStream {
    private struct State {
        var chunks: [HTTPBodyChunk] = []
        var wake: (@Sendable () -> Void)?
        var ends = 0
    }

    private let state = Mutex(State())

    var ends: Int { state.withLock { $0.ends } }
    var hasBegun: Bool { state.withLock { $0.wake != nil } }

    func feed(_ chunk: HTTPBodyChunk) {
        let wake = state.withLock { state in
            state.chunks.append(chunk)
            return state.wake
        }
        wake?()
    }

    func begin(wake: @escaping @Sendable () -> Void) { state.withLock { $0.wake = wake } }
    func next() -> HTTPBodyChunk { state.withLock { $0.chunks.isEmpty ? .wait : $0.chunks.removeFirst() } }
    func end() { state.withLock { $0.ends += 1 } }
}
