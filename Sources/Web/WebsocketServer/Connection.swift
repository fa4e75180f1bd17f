// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import HTTP
import Synchronization

/// One client, from its acceptance to its end.
///
/// `@unchecked Sendable` because all but `isCalled` belongs to the WebSocket thread; other threads only call `wake`.
final class Connection: @unchecked Sendable {
    /// nil after its end, as the session keeps `wake`, which keeps this object.
    private(set) var session: (any WebSocketSession)?
    let descriptor: Int32
    /// nil after libwebsockets has released it.
    var handle: OpaquePointer?
    private(set) var isOpen = false
    /// A close frame was sent or received, or the socket failed: no frame may follow.
    var isEnding = false
    var mayWrite: Bool { isOpen && !isEnding }
    /// A frame that was pulled when the socket was full.
    var held: WebSocketFrame?
    /// A callback was requested from libwebsockets for when the socket is writable.
    var asksToWrite = false
    /// As last seen by the loop: `mayWrite`, and whether the socket is watched for writing.
    var isSettled = false
    var isWatchedForWriting = false
    /// The server's own reason to end the connection.
    var ending: WebSocketEnding?
    /// The incoming message.
    var message: [UInt8] = []
    /// Present until libwebsockets has finished the handshake, which the HTTP server has answered already.
    private var standIn: StandIn?
    private var lease: ConnectionLease?
    private let inbox: Inbox
    private let isCalled = Atomic(false)

    init(
        _ session: any WebSocketSession, standIn: StandIn, lease: ConnectionLease, inbox: Inbox
    ) {
        self.session = session
        descriptor = standIn.descriptor
        self.standIn = standIn
        self.lease = lease
        self.inbox = inbox
    }

    /// Any thread; cheap if it was called already.
    func wake() {
        guard !isCalled.exchange(true, ordering: .acquiringAndReleasing) else { return }
        inbox.wake(self)
    }

    /// Called before the session is asked, so that a wake-up in between is not lost.
    func takeWake() {
        isCalled.store(false, ordering: .releasing)
    }

    func open() {
        isOpen = true
        session?.opened { self.wake() }
    }

    func close() {
        if isOpen { session?.closed() }
        isOpen = false
        session = nil
        held = nil
    }

    /// libwebsockets has closed the descriptor. A session that keeps `wake` keeps this object alive, but not its place.
    func release() {
        handle = nil
        standIn = nil
        lease = nil
    }

    /// Removes the stand-in before the first frame. False if the client cannot be watched.
    func bringInClient(_ readiness: Readiness) -> Bool {
        defer { standIn = nil }
        return standIn?.giveWay(to: descriptor, readiness) ?? false
    }

    func nextFrame() -> WebSocketFrame? { held.take() ?? session?.nextFrame() }
}

struct WebSocketEnding {
    var code: UInt16
    var reason = ""

    static let goingAway = WebSocketEnding(code: 1001, reason: "server stops")
    static let protocolError = WebSocketEnding(code: 1002, reason: "close code")
    static let unsupportedData = WebSocketEnding(code: 1003, reason: "text only")
    static let invalidData = WebSocketEnding(code: 1007, reason: "not UTF-8")
    static let tooBig = WebSocketEnding(code: 1009, reason: "message too big")
}

/// A pair of sockets on which libwebsockets answers a handshake that the HTTP server has answered already. Its 101 is
/// dropped with the pair; then the client's socket replaces the descriptor that libwebsockets uses.
final class StandIn {
    /// libwebsockets' end, which it then owns.
    let descriptor: Int32
    private let otherEnd: Int32
    private let client: Int32

    /// Owns `client`, also after a failure: nil if the kernel lacks a resource.
    init?(for client: Int32) {
        var ends: [Int32] = [-1, -1]
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, type, 0, &ends) == 0 else {
            close(client)
            return nil
        }
        (descriptor, otherEnd) = (ends[0], ends[1])
        self.client = client
    }

    deinit {
        close(otherEnd)
        close(client)
    }

    /// The descriptor's number stays; the pair's end is closed, and leaves `readiness` with that.
    func giveWay(to number: Int32, _ readiness: Readiness) -> Bool {
        clinux_replace(client, number) == number && readiness.add(number)
    }
}
