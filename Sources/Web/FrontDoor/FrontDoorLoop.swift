// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import HTTP
import Kernel
import Logging

/// The loop on the front door's thread: one epoll for listeners, waiting connections and the stop signal.
///
/// `@unchecked Sendable` because only that thread uses the mutable state, as `owner` checks; `stop` only rings `wake`.
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
    /// The next time at which the deadlines of `waiting` are checked.
    private var nextSweep = MonotonicTime.now
    private static let sweepSeconds = 0.1
    /// Set while listening is suspended, as the kernel is short of a resource.
    private var listensAgainAt: MonotonicTime?
    /// Bytes of a request's head.
    private var buffer = [UInt8](repeating: 0, count: 16_384)
    private static let lingerSeconds = 1.0
    /// Refused connections since the last log line.
    private var refusals = 0
    private var refusalsLoggedAt: MonotonicTime?
    /// Minimum interval between log lines.
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
        // A bounded batch, so that a flood of new connections does not starve the waiting ones.
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
            // There is no place to wait: one attempt to respond, then the connection is closed.
            _ = ProblemDetails.busy.send(to: descriptor)
            Glibc.close(descriptor)
            return
        }
        // Edge-triggered, as peeked bytes stay in the socket, which remains readable.
        guard watch(descriptor, EPOLLIN.rawValue | EPOLLRDHUP.rawValue | EPOLLET.rawValue) else {
            Glibc.close(descriptor)
            return
        }
        waiting[descriptor] = WaitingConnection(
            connection: IncomingConnection(descriptor: descriptor, peer: peer, lease: lease),
            deadline: .now.advanced(bySeconds: limits.headSeconds))
    }

    /// Accepts one connection with the spare descriptor, closes it, and suspends listening for a moment, as the backlog would
    /// wake the thread repeatedly.
    private func refuseWithReserve(_ listener: Int32) {
        if reserve >= 0 {
            Glibc.close(reserve)
            let descriptor = clinux_accept(listener, nil, nil)
            if descriptor >= 0 { Glibc.close(descriptor) }
            reserve = open("/dev/null", O_RDONLY | O_CLOEXEC)
        }
        refusals += 1
        let now = MonotonicTime.now
        if refusalsLoggedAt.map({ now.seconds(since: $0) >= Self.refusalSeconds }) ?? true {
            log.warning("out of file descriptors: connections are refused", metadata: ["count": "\(refusals)"])
            refusals = 0
            refusalsLoggedAt = now
        }
        suspendListening()
    }

    private func suspendListening() {
        guard listensAgainAt == nil else { return }
        for listener in listeners { epoll_ctl(epoll, EPOLL_CTL_DEL, listener, nil) }
        listensAgainAt = .now.advanced(bySeconds: 0.1)
    }

    // MARK: Waiting connections

    /// `isEnding`: the client has closed its sending half, so an incomplete head stays incomplete.
    private func advance(_ descriptor: Int32, isEnding: Bool) {
        owner.check()
        guard let visitor = waiting[descriptor] else { return }
        guard !visitor.isLingering else { return drain(descriptor) }
        let received = recv(descriptor, &buffer, buffer.count, Int32(MSG_PEEK))
        if received < 0, errno == EAGAIN || errno == EINTR { return }
        guard received > 0 else { return close(descriptor) }
        let end = buffer.withUnsafeBytes { RequestHead.end(in: UnsafeRawBufferPointer(rebasing: $0[..<received])) }
        if let end {
            let refusal = buffer.withUnsafeBytes { bytes -> ProblemDetails? in
                let head = UnsafeRawBufferPointer(rebasing: bytes[..<end])
                return RequestHead.refusal(ofLineIn: head)
                    ?? (RequestHead.hasControlCharacter(head) ? .controlCharacter : nil)
                    ?? (RequestHead.hasNamelessField(head) ? .namelessField : nil)
            }
            if let refusal { return answer(descriptor, refusal) }
            epoll_ctl(epoll, EPOLL_CTL_DEL, descriptor, nil)
            waiting[descriptor] = nil
            handOver(visitor.connection)
        } else if received == buffer.count {
            answer(descriptor, buffer.contains(UInt8(ascii: "\n")) ? .headTooLarge : .targetTooLong)
        } else if isEnding {
            close(descriptor)
        }
    }

    /// Reads and drops the rest for a moment: closing with unread bytes would reset the connection, which could destroy the
    /// response in transit.
    private func answer(_ descriptor: Int32, _ answer: ProblemDetails) {
        guard answer.send(to: descriptor) else { return close(descriptor) }
        shutdown(descriptor, Int32(SHUT_WR))
        waiting[descriptor]?.isLingering = true
        waiting[descriptor]?.deadline = .now.advanced(bySeconds: Self.lingerSeconds)
        drain(descriptor)
    }

    private func drain(_ descriptor: Int32) {
        for _ in 0..<16 {
            let received = recv(descriptor, &buffer, buffer.count, 0)
            if received < 0, errno == EAGAIN || errno == EINTR { return }
            guard received > 0 else { break }
        }
        // The client has closed, or is still sending after 16 buffers.
        close(descriptor)
    }

    private func close(_ descriptor: Int32) {
        waiting[descriptor] = nil
        Glibc.close(descriptor)
    }

    private func closeAll() {
        // The object may live on, but must refuse new connections.
        for listener in listeners { Glibc.close(listener) }
        listeners = []
        localSocket?.remove()
        for descriptor in waiting.keys { close(descriptor) }
    }

    // MARK: Time

    private func timeout() -> Int32 {
        let sweep = waiting.isEmpty ? nil : nextSweep
        guard let next = [sweep, listensAgainAt].compactMap(\.self).min() else { return -1 }
        return Int32(clamping: max(0, min(60_000, (next.seconds(since: .now) * 1000).rounded(.up))))
    }

    private func expire() {
        let now = MonotonicTime.now
        if nextSweep <= now {
            nextSweep = now.advanced(bySeconds: Self.sweepSeconds)
            for (descriptor, visitor) in waiting where visitor.deadline <= now {
                visitor.isLingering ? close(descriptor) : answer(descriptor, .headTimeout)
            }
        }
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

/// A connection whose head is incomplete, or that lingers after an error response.
private struct WaitingConnection {
    let connection: IncomingConnection
    var deadline: MonotonicTime
    var isLingering = false
}

/// The front door's responses to connections that reach no server.
extension ProblemDetails {
    static let controlCharacter = malformedRequest("The head of the request contains a control character.")
    static let namelessField = malformedRequest("A header field has no name.")
    static let headTimeout = ProblemDetails(
        status: 408, code: "request-timeout", detail: "The head of the request did not arrive in time.")
    static let busy = ProblemDetails(
        status: 503, code: "too-many-connections", detail: "Too many connections are open.")

    /// False if the socket did not accept the whole text.
    func send(to descriptor: Int32) -> Bool {
        var text = lastMessage
        return text.withUTF8 { bytes in
            Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
                == bytes.count
        }
    }
}
