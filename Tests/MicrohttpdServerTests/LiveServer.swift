// SPDX-License-Identifier: Apache-2.0

import FrontDoor
import Glibc
import HTTP
import Logging
import MicrohttpdServer
import SocketTesting
import Synchronization

/// A door, a server and a responder that a test scripts.
final class LiveServer: HTTPResponder {
    typealias Reply = @Sendable (HTTPResponse) -> Void
    let answer: @Sendable (HTTPRequest, @escaping Reply) -> Void
    let requests = Mutex<[HTTPRequest]>([])
    /// Of bodies, by path.
    let limits = Mutex<[String: Int]>([:])
    private let running = Mutex<(door: FrontDoor, server: MicrohttpdServer)?>(nil)

    init(
        bodyLimit: Int = 1 << 20, bodyMemory: Int = 128 << 20, answerMemory: Int = 128 << 20,
        halfCloseSeconds: Double = 60, threads: Int? = nil,
        _ answer: @escaping @Sendable (HTTPRequest, @escaping Reply) -> Void
    ) throws {
        self.answer = answer
        let log = Logger(label: "test")
        let server = try MicrohttpdServer(
            configuration: MicrohttpdConfiguration(
                threads: threads, bodyLimit: bodyLimit, bodyMemory: bodyMemory, answerMemory: answerMemory,
                halfCloseSeconds: halfCloseSeconds), log: log, responder: Forward(self))
        let door = try FrontDoor(host: "127.0.0.1", port: 0, log: log) { server.adopt($0) }
        running.withLock { $0 = (door, server) }
    }

    /// Echoes what came.
    static func echo(bodyLimit: Int = 1 << 20) throws -> LiveServer {
        try LiveServer(bodyLimit: bodyLimit) { request, reply in
            let text = "\(request.method.rawValue) \(request.path) \(request.body.count)"
            reply(HTTPResponse(status: 200, headers: HTTPHeaders([("X-A", "b")]), body: .bytes(Array(text.utf8))))
        }
    }

    var door: FrontDoor { running.withLock { $0!.door } }

    func client() throws -> TestSocket { try TestSocket(port: door.port) }

    func stop() {
        let current = running.withLock { $0 }
        current?.door.close()
        current?.server.stop()
    }

    func respond(to request: HTTPRequest, reply: @escaping Reply) {
        requests.withLock { $0.append(request) }
        answer(request, reply)
    }

    func bodyLimit(method: HTTPMethod, path: String) -> Int? { limits.withLock { $0[path] } }

    func refusal(of head: HTTPRequest) -> HTTPResponse? {
        head.headers["X-Refused"] == nil ? nil : HTTPResponse(status: 412)
    }

    deinit { stop() }
}

/// So that the server does not keep the test's object alive.
private final class Forward: HTTPResponder {
    private unowned let target: LiveServer

    init(_ target: LiveServer) { self.target = target }

    func respond(to request: HTTPRequest, reply: @escaping @Sendable (HTTPResponse) -> Void) {
        target.respond(to: request, reply: reply)
    }

    func bodyLimit(method: HTTPMethod, path: String) -> Int? { target.bodyLimit(method: method, path: path) }

    func refusal(of head: HTTPRequest) -> HTTPResponse? { target.refusal(of: head) }
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
