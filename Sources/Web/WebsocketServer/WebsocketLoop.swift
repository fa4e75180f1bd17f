// SPDX-License-Identifier: Apache-2.0

internal import CWebsockets
internal import Glibc
internal import HTTP
internal import Logging
internal import Kernel

/// The loop on the WebSocket thread.
///
/// `@unchecked Sendable` because only the WebSocket thread uses it after it is made, as `owner` checks.
final class WebsocketLoop: @unchecked Sendable {
    private var owner = OwningThread()
    private let application: any WebSocketApplication
    private let inbox: Inbox
    private let context: OpaquePointer
    private let vhost: OpaquePointer
    private let tables: WebsocketTables
    private let readiness: Readiness
    /// By descriptor.
    private var connections: [Int32: Connection] = [:]
    /// Number of open connections that are not ending: for these, `readiness` covers everything that libwebsockets
    /// waits for.
    private var settledCount = 0
    /// Interval at which libwebsockets' timers (mainly pings) are served.
    private let housekeepingSeconds: Double
    private var housekeepingTime = MonotonicTime.now
    private var stopDeadline: MonotonicTime?
    /// When the application has something to do.
    private var due: MonotonicTime?
    private let traffic = WebsocketTraffic()

    init(
        application: any WebSocketApplication, inbox: Inbox, readiness: Readiness, pingSeconds: Int, log: Logger
    ) throws(WebsocketError) {
        WebsocketLog.install(log)
        let tables = WebsocketTables(pingSeconds: pingSeconds)
        guard let context = cwebsockets_create_context(tables.protocols, tables.validity, tables.opaque) else {
            throw .notStarted
        }
        guard let vhost = cwebsockets_create_vhost(context, tables.protocols, tables.validity) else {
            lws_context_destroy(context)
            throw .notStarted
        }
        self.application = application
        self.inbox = inbox
        self.readiness = readiness
        housekeepingSeconds = max(0.1, min(2, Double(pingSeconds) / 10))
        self.context = context
        self.vhost = vhost
        self.tables = tables
    }

    func run() {
        tables.loop = self
        while true {
            // Frames that become due are sent in the same turn.
            if inbox.takeTimer() || due.map({ $0 <= .now }) ?? false { due = application.tick() }
            serve(inbox.take())
            if let stopDeadline, connections.isEmpty || stopDeadline <= .now { break }
            if settledCount < connections.count || stopDeadline != nil {
                // libwebsockets itself waits for handshakes and closing connections, as only it knows their deadlines.
                if inbox.expectCalls(in: context) {
                    setTimer([stopDeadline, due].compactMap(\.self).min())
                    service(0)
                }
            } else if inbox.expectCalls(in: nil) {
                waitForClients()
            }
        }
        for arrival in inbox.closeDown().arrivals { close(arrival.connection.descriptor) }
        setTimer(nil)
        lws_context_destroy(context)
    }

    /// Ends libwebsockets' own wait at `deadline`.
    private func setTimer(_ deadline: MonotonicTime?) {
        let microseconds = deadline.map { Int64(clamping: max(1, $0.seconds(since: .now) * 1e6)) }
        lws_sul_schedule(context, 0, tables.timer, { _ in }, microseconds ?? Int64(LWS_SET_TIMER_USEC_CANCEL))
    }

    /// Serves single sockets, as libwebsockets does after its own wait.
    private func waitForClients() {
        let housekeeping = connections.isEmpty ? nil : housekeepingTime
        readiness.wait(until: [housekeeping, due].compactMap(\.self).min()) { descriptor, events in
            var ready = pollfd(fd: descriptor, events: Int16(POLLIN | POLLOUT), revents: events)
            guard connections[descriptor] != nil else { return }
            lws_service_fd(context, &ready)
            guard Int32(events) & POLLIN != 0, let connection = connections[descriptor] else { return }
            failIfBroken(connection)
            guard connection.mayWrite else { return }
            // libwebsockets may have to answer input (a pong), which it does when it may write.
            ready.revents = Int16(POLLOUT)
            lws_service_fd(context, &ready)
        }
        let now = MonotonicTime.now
        // The second call returns 0 if libwebsockets has buffered input.
        guard housekeepingTime <= now || lws_service_adjust_timeout(context, 1, 0) == 0 else { return }
        service(-1)
        housekeepingTime = now.advanced(bySeconds: housekeepingSeconds)
    }

    /// Serves all sockets.
    private func service(_ milliseconds: Int32) {
        lws_service(context, milliseconds)
        connections.values.forEach(failIfBroken)
    }

    /// libwebsockets rejects a broken frame without a callback: it prepares the close frame, and ignores what follows. It
    /// accepts any length, and calls back when the payload is there.
    private func failIfBroken(_ connection: Connection) {
        guard connection.mayWrite, let handle = connection.handle else { return }
        if lws_get_close_length(handle) > 0 {
            connection.isEnding = true
        } else if connection.ending == nil, lws_remaining_packet_payload(handle) > WebsocketTraffic.messageLimit {
            connection.ending = .tooBig
            traffic.askToWrite(connection, handle)
        }
        follow(connection, handle)
    }

    /// Updates `readiness` and the count of settled connections; called after everything that may change them.
    private func follow(_ connection: Connection, _ handle: OpaquePointer) {
        if connection.isSettled != connection.mayWrite {
            connection.isSettled = connection.mayWrite
            settledCount += connection.isSettled ? 1 : -1
        }
        let writes = connection.mayWrite && (connection.asksToWrite || lws_partial_buffered(handle) != 0)
        if connection.isWatchedForWriting != writes {
            connection.isWatchedForWriting = writes
            readiness.watch(connection.descriptor, writing: writes)
        }
    }

    /// Separate from `run`, so that no contents are kept while the thread waits.
    private func serve(_ contents: consuming Inbox.Contents) {
        owner.check()
        if contents.isStopping, stopDeadline == nil { beginStop() }
        contents.arrivals.forEach(take)
        for connection in contents.awake {
            connection.takeWake()
            guard let handle = connection.handle else { continue }
            traffic.writeAtOnce(connection, handle)
            follow(connection, handle)
        }
    }

    private func beginStop() {
        stopDeadline = .now.advanced(bySeconds: 1)
        for connection in connections.values {
            connection.ending = .goingAway
            if let handle = connection.handle { traffic.askToWrite(connection, handle) }
        }
    }

    private func take(_ arrival: Arrival) {
        guard stopDeadline == nil else {
            close(arrival.connection.descriptor)
            return
        }
        let upgraded = arrival.connection
        boundSendBuffer(of: upgraded.descriptor)
        guard let standIn = StandIn(for: upgraded.descriptor) else { return }
        adopt(
            Connection(arrival.session, standIn: standIn, lease: upgraded.lease, inbox: inbox),
            reading: Handshake.rewritten + upgraded.received)
        // libwebsockets buffers the rest of the received bytes, which the kernel cannot report.
        if !upgraded.received.isEmpty { housekeepingTime = .now }
    }

    /// Bounds the kernel's buffer for a slow client.
    private func boundSendBuffer(of descriptor: Int32) {
        var size: Int32 = 65_536
        setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &size, socklen_t(MemoryLayout<Int32>.size))
    }

    /// `bytes` begin with the request.
    private func adopt(_ connection: Connection, reading bytes: [UInt8]) {
        tables.adopting = connection
        let handle = bytes.withUnsafeBytes {
            lws_adopt_socket_vhost_readbuf(
                vhost, connection.descriptor, $0.baseAddress?.assumingMemoryBound(to: CChar.self), $0.count)
        }
        tables.adopting = nil
        // There was no callback yet if the handshake has to wait for a buffer.
        if let handle, lws_get_opaque_user_data(handle) == nil { attach(connection, to: handle) }
    }

    /// From now until `detach` libwebsockets' object keeps the connection alive.
    func attach(_ connection: Connection, to handle: OpaquePointer) {
        connection.handle = handle
        connections[connection.descriptor] = connection
        // A client that cannot be watched is closed, as its messages would be missed.
        if !readiness.add(connection.descriptor) {
            lws_set_timeout(handle, PENDING_TIMEOUT_USER_OK, Int32(LWS_TO_KILL_ASYNC))
        }
        lws_set_opaque_user_data(handle, Unmanaged.passUnretained(connection).toOpaque())
    }

    func detach(_ connection: Connection, from handle: OpaquePointer) {
        lws_set_opaque_user_data(handle, nil)
        connection.release()
        if connection.isSettled { settledCount -= 1 }
        // The descriptor may already belong to another connection.
        if connections[connection.descriptor] === connection { connections[connection.descriptor] = nil }
    }

    func handle(
        _ handle: OpaquePointer, _ reason: lws_callback_reasons, _ input: UnsafeMutableRawPointer?, _ length: Int,
        adopting: Connection?
    ) -> Int32 {
        switch reason {
        case LWS_CALLBACK_ESTABLISHED, LWS_CALLBACK_RECEIVE, LWS_CALLBACK_SERVER_WRITEABLE,
            LWS_CALLBACK_WS_PEER_INITIATED_CLOSE, LWS_CALLBACK_CLOSED, LWS_CALLBACK_WSI_DESTROY:
            if lws_get_opaque_user_data(handle) == nil, let adopting, reason != LWS_CALLBACK_WSI_DESTROY {
                attach(adopting, to: handle)
            }
            guard let user = lws_get_opaque_user_data(handle) else { return 0 }
            let connection = Unmanaged<Connection>.fromOpaque(user).takeUnretainedValue()
            defer {
                if reason == LWS_CALLBACK_WSI_DESTROY {
                    detach(connection, from: handle)
                } else {
                    follow(connection, handle)
                }
            }
            if reason == LWS_CALLBACK_ESTABLISHED, !connection.bringInClient(readiness) { return -1 }
            return traffic.handle(connection, handle, reason, input, length)
        case LWS_CALLBACK_HTTP: return -1
        default: return 0
        }
    }
}
