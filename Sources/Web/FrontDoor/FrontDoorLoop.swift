// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import HTTP
import Kernel
import Logging

/// The loop on the door's thread: one epoll for listeners, waiting connections and the stop signal.
///
/// `@unchecked Sendable` because mutable state belongs to the door's thread, as `owner` checks; `stop` only rings
/// `wake`.
final class FrontDoorLoop: @unchecked Sendable {
    let count: ConnectionCount
    private var owner = OwningThread()
    private var listeners: [Int32]
    private let localSocket: LocalSocket?
    private let epoll: Int32
    private let wake: WakeSignal
    /// A spare descriptor: released when descriptors run out, so that the waiting connection can be accepted and
    /// refused.
    private var reserve: Int32
    private let limits: ConnectionLimits
    private let log: Logger
    private let handOver: @Sendable (IncomingConnection) -> Void
    private var waiting: [Int32: WaitingConnection] = [:]
    private var headDeadlines = DeadlineQueue()
    private var lingerDeadlines = DeadlineQueue()
    /// Set while listening is suspended because the kernel lacks a resource.
    private var listensAgainAt: MonotonicTime?
    private var buffer: [UInt8]
    private static let lingerSeconds = 1.0
    /// Refused connections since the last line in the log, which has at most one line in this interval.
    private var refusals = 0
    private var refusalsToldAt: MonotonicTime?
    private static let refusalSeconds = 10.0

    init(
        sockets: ListeningSockets, localSocket: LocalSocket?, limits: ConnectionLimits, log: Logger,
        handOver: @escaping @Sendable (IncomingConnection) -> Void
    ) throws(ListenError) {
        func failure(_ call: String) -> ListenError { .failed(call: call, code: errno) }
        listeners = sockets.descriptors + (localSocket.map { [$0.descriptor] } ?? [])
        self.localSocket = localSocket
        guard let wake = WakeSignal() else { throw failure("eventfd") }
        self.wake = wake
        epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
        reserve = open("/dev/null", O_RDONLY | O_CLOEXEC)
        count = ConnectionCount(limits: limits)
        self.limits = limits
        self.log = log
        self.handOver = handOver
        buffer = [UInt8](repeating: 0, count: limits.headBytes)
        guard epoll >= 0 else { throw failure("epoll_create1") }
        guard watch(wake.descriptor, EPOLLIN.rawValue), listeners.allSatisfy({ watch($0, EPOLLIN.rawValue) }) else {
            throw failure("epoll_ctl")
        }
    }

    deinit {
        for descriptor in listeners + [epoll, reserve] where descriptor >= 0 { Glibc.close(descriptor) }
    }

    /// Any thread.
    func stop() {
        wake.ring()
    }

    func run() {
        var events = [epoll_event](repeating: epoll_event(), count: 256)
        while true {
            let ready = epoll_wait(epoll, &events, Int32(events.count), timeout())
            for event in events.prefix(Int(max(0, ready))) {
                let descriptor = event.data.fd
                if descriptor == wake.descriptor { return closeAll() }
                let isEnding = event.events & (EPOLLRDHUP.rawValue | EPOLLHUP.rawValue | EPOLLERR.rawValue) != 0
                if listeners.contains(descriptor) {
                    accept(from: descriptor)
                } else {
                    advance(descriptor, isEnding: isEnding)
                }
            }
            expire()
        }
    }

    // MARK: Accepting

    private func accept(from listener: Int32) {
        // A bounded batch, so that a flood of connections does not starve those that wait.
        for _ in 0..<64 {
            var storage = sockaddr_storage()
            var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
            let (descriptor, address) = withUnsafeMutablePointer(to: &storage) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                    let descriptor = clinux_accept(listener, address, &length)
                    return (descriptor, SocketAddress(address, length: descriptor >= 0 ? length : 0))
                }
            }
            guard descriptor >= 0 else {
                switch errno {
                case EINTR, ECONNABORTED: continue
                case EMFILE, ENFILE: refuseWithReserve(listener)
                case ENOBUFS, ENOMEM: suspendListening()
                default: break
                }
                return
            }
            admit(descriptor, peer: address.family == AF_UNIX ? LocalSocket.peer(of: descriptor) : address.peer)
        }
    }

    private func admit(_ descriptor: Int32, peer: HTTPPeer) {
        var on: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
        guard let lease = count.admit(peer) else {
            // No place among the waiting connections: one attempt to answer, then the connection is closed.
            _ = ProblemDetails.busy.send(to: descriptor)
            Glibc.close(descriptor)
            return
        }
        // Edge-triggered: peeked bytes stay in the socket, which would be readable for ever.
        guard watch(descriptor, EPOLLIN.rawValue | EPOLLRDHUP.rawValue | EPOLLET.rawValue) else {
            Glibc.close(descriptor)
            return
        }
        let connection = WaitingConnection(descriptor: descriptor, peer: peer, lease: lease)
        waiting[descriptor] = connection
        headDeadlines.append(connection, at: .now.advanced(bySeconds: limits.headSeconds))
    }

    /// The backlog would wake the thread repeatedly: one connection is accepted with the spare descriptor and closed,
    /// and listening is suspended for a moment.
    private func refuseWithReserve(_ listener: Int32) {
        if reserve >= 0 {
            Glibc.close(reserve)
            let descriptor = clinux_accept(listener, nil, nil)
            if descriptor >= 0 { Glibc.close(descriptor) }
            reserve = open("/dev/null", O_RDONLY | O_CLOEXEC)
        }
        refusals += 1
        let now = MonotonicTime.now
        if refusalsToldAt.map({ now.seconds(since: $0) >= Self.refusalSeconds }) ?? true {
            log.warning("out of file descriptors: connections are refused", metadata: ["count": "\(refusals)"])
            refusals = 0
            refusalsToldAt = now
        }
        suspendListening()
    }

    private func suspendListening() {
        guard listensAgainAt == nil else { return }
        for listener in listeners { epoll_ctl(epoll, EPOLL_CTL_DEL, listener, nil) }
        listensAgainAt = .now.advanced(bySeconds: 0.1)
    }

    // MARK: Waiting connections

    /// `isEnding`: the client sends no more, so an incomplete head stays incomplete.
    private func advance(_ descriptor: Int32, isEnding: Bool) {
        owner.check()
        guard let connection = waiting[descriptor] else { return }
        guard !connection.isLingering else { return drain(connection) }
        let received = recv(descriptor, &buffer, buffer.count, Int32(MSG_PEEK))
        if received < 0, errno == EAGAIN || errno == EINTR { return }
        guard received > 0 else { return close(connection) }
        let end = buffer.withUnsafeBytes { RequestHead.end(in: UnsafeRawBufferPointer(rebasing: $0[..<received])) }
        if let end {
            let refusal = buffer.withUnsafeBytes { bytes -> ProblemDetails? in
                let head = UnsafeRawBufferPointer(rebasing: bytes[..<end])
                return RequestHead.refusal(ofLineIn: head)
                    ?? (RequestHead.hasControlCharacter(head) ? .controlCharacter : nil)
            }
            if let refusal { return answer(connection, refusal) }
            handOver(connection)
        } else if received == buffer.count {
            answer(connection, buffer.contains(UInt8(ascii: "\n")) ? .headTooLarge : .targetTooLong)
        } else if isEnding {
            close(connection)
        }
    }

    private func handOver(_ connection: WaitingConnection) {
        guard let lease = connection.takeLease() else { return }
        epoll_ctl(epoll, EPOLL_CTL_DEL, connection.descriptor, nil)
        waiting[connection.descriptor] = nil
        handOver(IncomingConnection(descriptor: connection.descriptor, peer: connection.peer, lease: lease))
    }

    /// Closing with unread bytes would reset the connection and could destroy the answer in transit: the rest is read
    /// and dropped for a moment.
    private func answer(_ connection: WaitingConnection, _ answer: ProblemDetails) {
        guard answer.send(to: connection.descriptor) else { return close(connection) }
        shutdown(connection.descriptor, Int32(SHUT_WR))
        connection.isLingering = true
        lingerDeadlines.append(connection, at: .now.advanced(bySeconds: Self.lingerSeconds))
        drain(connection)
    }

    private func drain(_ connection: WaitingConnection) {
        for _ in 0..<16 {
            let received = recv(connection.descriptor, &buffer, buffer.count, 0)
            if received < 0, errno == EAGAIN || errno == EINTR { return }
            guard received > 0 else { return close(connection) }
        }
        // Still sending after 16 buffers: not worth more.
        close(connection)
    }

    private func close(_ connection: WaitingConnection) {
        guard connection.takeLease() != nil else { return }
        waiting[connection.descriptor] = nil
        Glibc.close(connection.descriptor)
    }

    private func closeAll() {
        // The object may outlive this: new connections must be refused.
        for listener in listeners { Glibc.close(listener) }
        listeners = []
        localSocket?.remove()
        for connection in Array(waiting.values) { close(connection) }
    }

    // MARK: Time

    private func timeout() -> Int32 {
        let next = [headDeadlines.next, lingerDeadlines.next, listensAgainAt].compactMap(\.self).min()
        guard let next else { return -1 }
        return Int32(clamping: max(0, min(60_000, (next.seconds(since: .now) * 1000).rounded(.up))))
    }

    private func expire() {
        let now = MonotonicTime.now
        while let connection = headDeadlines.takeExpired(now) {
            if !connection.isLingering { answer(connection, .headTimeout) }
        }
        while let connection = lingerDeadlines.takeExpired(now) { close(connection) }
        if let time = listensAgainAt, time <= now {
            listensAgainAt = nil
            for listener in listeners where !watch(listener, EPOLLIN.rawValue) { suspendListening() }
        }
    }

    private func watch(_ descriptor: Int32, _ events: UInt32) -> Bool {
        var event = epoll_event()
        event.events = events
        event.data.fd = descriptor
        return epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event) == 0
    }
}

/// The door's own answers to connections that reach no server.
extension ProblemDetails {
    static let controlCharacter = malformedRequest("The head of the request contains a control character.")
    static let headTimeout = ProblemDetails(
        status: 408, code: "request-timeout", detail: "The head of the request did not come in time.")
    static let busy = ProblemDetails(
        status: 503, code: "too-many-connections", detail: "Too many connections are open.")

    /// False if the socket did not accept everything.
    func send(to descriptor: Int32) -> Bool {
        var text = lastMessage
        return text.withUTF8 { bytes in
            Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
                == bytes.count
        }
    }
}
