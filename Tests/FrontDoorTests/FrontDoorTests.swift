// SPDX-License-Identifier: Apache-2.0

import FrontDoor
import Glibc
import HTTP
import Logging
import KernelTesting
import SocketTesting
import Synchronization
import Testing

/// The connections that the front door handed over.
final class Visitors: Sendable {
    let all = Mutex<[IncomingConnection]>([])

    func door(
        port: UInt16 = 0, host: String = "127.0.0.1", socket: String? = nil, limits: ConnectionLimits = .init()
    ) throws -> FrontDoor {
        try FrontDoor(host: host, port: port, socket: socket, limits: limits, log: Logger(label: "test")) { visitor in
            self.all.withLock { $0.append(visitor) }
        }
    }

    func leave() {
        for connection in all.withLock({ $0 }) { close(connection.descriptor) }
        all.withLock { $0 = [] }
    }

    deinit { leave() }
}

@Suite(.serialized) struct FrontDoorTests {
    let visitors = Visitors()
    let door: FrontDoor

    init() throws { door = try visitors.door() }

    @Test func handsOverUnread_whenHeadIsWhole() throws {
        let client = try TestSocket(port: door.port)
        try client.send("GET / HTTP/1.1\r\nHost: x\r\n")
        try client.send("\r\nrest")
        #expect(eventually { visitors.all.withLock { $0.count } == 1 })
        let connection = visitors.all.withLock { $0[0] }
        #expect(connection.peer == .loopback)
        let head = "GET / HTTP/1.1\r\nHost: x\r\n\r\n".utf8
        var bytes = [UInt8](repeating: 0, count: 100)
        #expect(recv(connection.descriptor, &bytes, 100, 0) >= head.count)
        #expect(bytes.starts(with: head))
        var on: Int32 = 0
        var size = socklen_t(4)
        getsockopt(connection.descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, &size)
        #expect(on == 1)
    }

    /// The last one is the beginning of TLS.
    @Test(arguments: ["GET / HTTP/1.1\r\nHos", "\r\n", "", "\u{16}\u{3}\u{1}\u{2}\0\u{1}\0"])
    func answers408_whenHalfAHeadAndSilence(beginning: String) throws {
        let door = try visitors.door(limits: ConnectionLimits(headSeconds: 0.2))
        let client = try TestSocket(port: door.port)
        try client.send(beginning)
        let response = try client.receiveToEnd()
        #expect(response.hasPrefix("HTTP/1.1 408 ") && response.contains(ProblemDetails.mediaType))
        #expect(eventually { door.connectionCount == 0 })
    }

    @Test(arguments: [("GET / HTTP/1.1\r\nX: ", 431), ("GET /api/v1/", 414)])
    func rejectsAHugeHead(start: String, status: Int) throws {
        let client = try TestSocket(port: door.port)
        try client.send(start + String(repeating: "a", count: 20_000))
        let response = try client.receiveToEnd()
        #expect(response.hasPrefix("HTTP/1.1 \(status) ") && response.contains(ProblemDetails.mediaType))
    }

    @Test func listensAtAUnixSocket() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/door"
        func door() throws -> FrontDoor { try visitors.door(socket: path) }
        let first = try door()
        #expect(throws: ListenError.failed(call: path, code: EADDRINUSE)) { try door() }
        let client = try TestSocket(path: path)
        try client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(eventually { visitors.all.withLock { $0.count } == 1 })
        // The same user as the server.
        #expect(visitors.all.withLock { $0[0].peer } == .loopback)
        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o660)
        first.close()
        #expect(access(path, F_OK) != 0)
        // The socket of a killed server is replaced; a file is not.
        let left = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(left) }
        #expect(TestSocket.withAddress(path: path) { bind(left, $0, $1) } == 0)
        try door().close()
        close(open(path, O_CREAT | O_WRONLY, 0o600))
        #expect(throws: ListenError.failed(call: path, code: EADDRINUSE)) { try door() }
    }

    @Test func closes_whenClientEndsInTheHead() throws {
        let client = try TestSocket(port: door.port)
        try client.send("GET / HT")
        client.shutDownSending()
        #expect(try client.receiveToEnd() == "")
        #expect(eventually { door.connectionCount == 0 })
    }

    @Test func usesNoProcessorTime_whileAHeadIsIncomplete() throws {
        let clients = try (0..<50).map { _ in try TestSocket(port: door.port) }
        for client in clients { try client.send("GET / HTTP/1.1\r\nHos") }
        #expect(eventually { door.connectionCount == 50 })
        let waiter = try TestSocket(port: door.port, seconds: 1)
        let before = processorSeconds()
        // Nothing arrives, so the receive times out after a second.
        #expect(throws: TestSocketError.self) { try waiter.receive() }
        #expect(processorSeconds() - before < 0.1)
    }

    @Test func refusesWith503_whenTheTotalIsReached() throws {
        let door = try visitors.door(limits: ConnectionLimits(total: 1))
        let first = try TestSocket(port: door.port)
        try first.send("GET / HTTP/1.1\r\n\r\n")
        #expect(eventually { visitors.all.withLock { $0.count } == 1 })
        let response = try TestSocket(port: door.port).receiveToEnd()
        #expect(response.hasPrefix("HTTP/1.1 503 ") && response.contains(ProblemDetails.mediaType))
        visitors.leave()
        #expect(eventually { door.connectionCount == 0 })
        let third = try TestSocket(port: door.port)
        try third.send("GET / HTTP/1.1\r\n\r\n")
        #expect(eventually { visitors.all.withLock { $0.count } == 1 })
    }

    @Test func throwsAddressInUse_whenThePortIsTaken() throws {
        #expect(throws: ListenError.addressInUse(host: "127.0.0.1", port: door.port)) {
            _ = try visitors.door(port: door.port)
        }
    }

    @Test func throwsClearly_whenTheHostIsNotHere() throws {
        #expect(throws: ListenError.addressNotAvailable(host: "192.0.2.1")) { _ = try visitors.door(host: "192.0.2.1") }
        #expect(throws: ListenError.self) { _ = try visitors.door(host: "nowhere.invalid") }
    }

    @Test func listensOnLocalhost_withOnePort() throws {
        let door = try visitors.door(host: "localhost")
        let client = try TestSocket(port: door.port)
        try client.send("GET / HTTP/1.1\r\n\r\n")
        #expect(eventually { visitors.all.withLock { $0.count } == 1 })
    }

    @Test func endsWaitingConnections_whenClosed() throws {
        let client = try TestSocket(port: door.port)
        try client.send("GET ")
        #expect(eventually { door.connectionCount == 1 })
        door.close()
        #expect(try client.receiveToEnd() == "")
        #expect(throws: TestSocketError.self) { _ = try TestSocket(port: door.port) }
    }
}
