// SPDX-License-Identifier: Apache-2.0

internal import CMicrohttpd
internal import Glibc
internal import HTTP
internal import Kernel
internal import Synchronization

/// One request and its response: collects the body, calls the responder, and waits for its reply.
///
/// libmicrohttpd calls `advance` repeatedly on the connection's thread: with the head, with each piece of the body, when
/// the body is complete, and after the connection was resumed.
///
/// `@unchecked Sendable` because only the connection's thread uses the mutable properties, apart from `reply`,
/// `answerBytes` and `counted`.
final class Exchange: @unchecked Sendable {
    private enum Reply {
        case none
        /// libmicrohttpd ignores the connection until it is resumed.
        case suspended(Suspended)
        case ready(HTTPResponse)
        case taken
    }

    /// `@unchecked Sendable` because the connection is only resumed, which any thread may do.
    private struct Suspended: @unchecked Sendable {
        var connection: OpaquePointer
        let began = MonotonicTime.now
        /// The client has closed its sending half only.
        var isHalfClosed = false
    }

    private enum Progress { case head, body, asked }

    private typealias Head = (fields: RequestHeaders, request: HTTPRequest)

    private let target: String
    private let core: ServerCore
    private let reply = Mutex(Reply.none)
    private var progress = Progress.head
    /// Kept until the body is complete; nil without a body.
    private var head: Head?
    private var body: RequestBody
    /// Set for a chunked body: libmicrohttpd accepts a lone line feed as the end of a chunk's line, but a proxy may not. So
    /// the connection ends, and the following bytes are not read as another request.
    private var chunked: ChunkedFraming?
    /// The client has closed its sending half. What it sent before is answered, then the connection ends.
    private var endsSoon = false
    /// Takes over the connection once the 101 was sent.
    private var upgraded: (@Sendable (UpgradedConnection) -> Void)?
    /// The body's share of the memory budget, held until the reply.
    private let counted: CountedBytes
    /// Size of a large response that waits to be sent. Changed with `reply` locked.
    private let answerBytes = Atomic(0)

    init(target: String, core: ServerCore) {
        self.target = target
        self.core = core
        counted = CountedBytes(core: core)
        body = RequestBody(core: core, counted: counted)
    }

    func advance(
        _ connection: OpaquePointer, method: UnsafePointer<CChar>, version: UnsafePointer<CChar>,
        upload: UnsafePointer<CChar>?, uploadSize: UnsafeMutablePointer<Int>
    ) -> MHD_Result {
        switch progress {
        case .head:
            progress = .body
            return begin(connection, method: method, isHTTP10: strcmp(version, "HTTP/1.0") == 0)
        case .body where uploadSize.pointee > 0:
            defer { uploadSize.pointee = 0 }
            // The size of a chunked body is known only now.
            if let head, body.isUnscreened(with: uploadSize.pointee) { screen(head.fields, head.request) }
            noticeEnd(of: connection)
            let isAllowed = chunked?.allows(uploadSize.pointee, on: connection) ?? true
            let isTaken = isAllowed && body.append(UnsafeRawBufferPointer(start: upload, count: uploadSize.pointee))
            return isTaken ? cmicrohttpd_yes : cmicrohttpd_no
        case .body:
            progress = .asked
            return ask(connection, method: method)
        case .asked:
            return answerIfReady(connection)
        }
    }

    /// libmicrohttpd has finished the request, with or without a response.
    func completed(_ connection: OpaquePointer) {
        if endsSoon { cmicrohttpd_set_timeout(connection, 1) }
        core.exchanges.remove(self)
        head = nil
        counted.release()
        let unsent = takeReady()
        reply.withLock { $0 = .taken }
        unsent?.body.end()
        giveBack(answerBytes.exchange(0, ordering: .relaxed))
    }

    // MARK: The request

    /// Queues a response only if the body must not be read, as libmicrohttpd closes the connection after a response that is
    /// queued in the first call.
    private func begin(_ connection: OpaquePointer, method: UnsafePointer<CChar>, isHTTP10: Bool) -> MHD_Result {
        guard
            MHD_lookup_connection_value(connection, cmicrohttpd_headers, "Content-Length") != nil
                || MHD_lookup_connection_value(connection, cmicrohttpd_headers, "Transfer-Encoding") != nil
        else { return cmicrohttpd_yes }
        let (fields, request) = readHead(of: connection, method: method)
        head = (fields, request)
        let headers = fields.headers
        let limit = min(
            core.responder.bodyLimit(method: request.method, path: request.path) ?? .max, core.configuration.bodyLimit)
        var announced: UInt64?
        let framing = BodyFraming(
            lengths: headers.values("Content-Length"), codings: headers.values("Transfer-Encoding"), isHTTP10: isHTTP10)
        switch framing {
        case .none: break
        case .chunked: chunked = ChunkedFraming(connection)
        case .malformed(let detail): return queue(.malformed(detail), on: connection)
        case .unknownCoding: return queue(.unknownTransferCoding, on: connection)
        case .length(let length): announced = length
        }
        noticeEnd(of: connection)
        body.begin(limit: limit, announced: Int(clamping: announced ?? 0))
        if let announced, announced > UInt64(limit) {
            body.refuse(.tooLarge(limit: limit))
        } else if announced ?? 0 > UInt64(RequestBody.small) {
            screen(fields, request)
        }
        guard let refusal = body.refusal else { return cmicrohttpd_yes }
        // A client that sends its body without asking would lose the response with the connection. Its body is read and
        // dropped instead, up to the server's limit.
        let asksFirst = headers.hasToken("100-continue", in: "Expect")
        guard asksFirst || announced ?? 0 > UInt64(core.configuration.bodyLimit) else { return cmicrohttpd_yes }
        return queue(refusal, on: connection)
    }

    /// libmicrohttpd misses the end of the client's sending half if it comes together with bytes. The rest of the body has been
    /// sent by then: it arrives at once, or the connection ends.
    private func noticeEnd(of connection: OpaquePointer) {
        guard !endsSoon, cmicrohttpd_closed_sides(connection) != 0 else { return }
        endsSoon = true
        cmicrohttpd_set_timeout(connection, 1)
    }

    /// Refuses a large body before it is read if the request's head is reason enough.
    private func screen(_ fields: RequestHeaders, _ request: HTTPRequest) {
        body.isScreened = true
        if let refusal = fields.problem ?? core.responder.refusal(of: request) { body.refuse(refusal) }
    }

    private func ask(_ connection: OpaquePointer, method: UnsafePointer<CChar>) -> MHD_Result {
        if let refusal = body.refusal { return queue(refusal, on: connection) }
        let (fields, head) = head ?? readHead(of: connection, method: method)
        self.head = nil
        if let problem = fields.problem { return queue(problem, on: connection) }
        var request = head
        // libmicrohttpd accepts a lone carriage return in method and target. `RequestHeaders` checks the fields.
        guard request.method.isToken, RequestTarget.isVisible(target), RequestTarget(target).isKnownForm else {
            return queue(.malformed("The first line of the request cannot be read."), on: connection)
        }
        if fields.hasUpgrade, request.method == .get, let upgrader = core.upgrader {
            return queue(upgrader.upgrade(request), on: connection)
        }
        request.body = body.take()
        core.responder.respond(to: request) { [self] response in accept(response) }
        return answerIfReady(connection)
    }

    /// The request without its body.
    private func readHead(of connection: OpaquePointer, method: UnsafePointer<CChar>) -> Head {
        let fields = RequestHeaders.copy(from: connection)
        let target = RequestTarget(target)
        let client = Client.of(connection)
        let request = HTTPRequest(
            method: HTTPMethod(rawValue: String(cString: method)), path: target.path, query: target.query,
            headers: fields.headers.addressed(to: target), peer: client?.peer ?? .remote("unknown"), recipient: self)
        return (fields, request)
    }

    // MARK: The reply

    /// Any thread.
    private func accept(_ response: HTTPResponse) {
        counted.release()
        let (response, bytes) = admitted(response)
        let (isUnwanted, suspended) = reply.withLock { reply -> (Bool, Suspended?) in
            switch reply {
            case .none:
                reply = .ready(response)
                answerBytes.store(bytes, ordering: .relaxed)
                return (false, nil)
            case .suspended(let suspended):
                reply = .ready(response)
                answerBytes.store(bytes, ordering: .relaxed)
                core.resumes.add(1, ordering: .relaxed)
                return (false, suspended)
            case .ready, .taken:
                return (true, nil)
            }
        }
        if isUnwanted {
            response.body.end()
            giveBack(bytes)
        }
        // Without the lock, which the connection's thread takes at once. Only one reply finds the connection suspended, and
        // libmicrohttpd does not touch it until it is resumed.
        guard let suspended else { return }
        MHD_resume_connection(suspended.connection)
        core.resumes.subtract(1, ordering: .releasing)
    }

    /// Takes a large response's size from the memory budget; replaces the response by 503 if the budget is exhausted.
    private func admitted(_ response: HTTPResponse) -> (HTTPResponse, bytes: Int) {
        guard case .bytes(let bytes) = response.body, bytes.count > RequestBody.small else { return (response, 0) }
        guard core.answers.withLock({ $0.take(bytes.count) }) else {
            return (.busy("Too many clients are slow to read large responses."), 0)
        }
        return (response, bytes.count)
    }

    private func giveBack(_ bytes: Int) {
        if bytes > 0, core.answers.withLock({ $0.giveBack(bytes) }) { Heap.giveBack() }
    }

    private func answerIfReady(_ connection: OpaquePointer) -> MHD_Result {
        if let response = takeReady() { return queue(response, on: connection) }
        // The server is stopping when it calls this.
        guard core.exchanges.insert(self, end: { [self] in accept(.stopping) }) else {
            return queue(.stopping, on: connection)
        }
        let late = reply.withLock { reply -> HTTPResponse? in
            if case .ready(let response) = reply {
                reply = .taken
                return response
            }
            // libmicrohttpd handles a connection with a timeout of its own before it reads from it. Otherwise it may read the end
            // of the client's sending half after the resume, and close the connection without the response.
            cmicrohttpd_set_timeout(connection, UInt32(core.configuration.idleSeconds + 1))
            MHD_suspend_connection(connection)
            reply = .suspended(Suspended(connection: connection))
            return nil
        }
        return late.map { queue($0, on: connection) } ?? cmicrohttpd_yes
    }

    private func takeReady() -> HTTPResponse? {
        reply.withLock { reply in
            guard case .ready(let response) = reply else { return nil }
            reply = .taken
            return response
        }
    }

    private func queue(_ response: HTTPResponse, on connection: OpaquePointer) -> MHD_Result {
        reply.withLock { $0 = .taken }
        var response = response
        if chunked != nil, !response.headers.contains("Connection") { response.headers.add("Connection", "close") }
        cmicrohttpd_set_timeout(connection, UInt32(core.configuration.idleSeconds))
        if case .upgrade(let receive) = response.body { upgraded = receive }
        // Not after an upgrade: libmicrohttpd then calls `completed` with the lock held that setting a timeout takes.
        endsSoon = upgraded == nil && cmicrohttpd_closed_sides(connection) != 0
        let result = core.cache.withResponse(for: response, on: connection, core: core) { handle in
            cmicrohttpd_queue(connection, UInt32(response.status), handle)
        }
        guard upgraded != nil, result == cmicrohttpd_no else { return result }
        upgraded = nil
        return queue(.malformed("Only a connection of HTTP/1.1 can be upgraded."), on: connection)
    }
}

/// Upgrades, which end HTTP on a connection.
extension Exchange {
    static func upgradeResponse() -> OpaquePointer? {
        MHD_create_response_for_upgrade(
            { _, connection, requestContext, received, count, descriptor, handle in
                guard let connection, let requestContext, let handle else { return }
                let read = UnsafeRawBufferPointer(start: received, count: received == nil ? 0 : count)
                Unmanaged<Exchange>.fromOpaque(requestContext).takeUnretainedValue()
                    .leave(connection, descriptor, read)
                cmicrohttpd_release_upgraded(handle)
            }, nil)
    }

    /// The connection continues under a new descriptor. libmicrohttpd closes its own and forgets the connection.
    private func leave(_ connection: OpaquePointer, _ descriptor: Int32, _ received: UnsafeRawBufferPointer) {
        guard let client = Client.of(connection), let receive = upgraded.take(),
            let own = Descriptor.duplicate(descriptor)
        else { return }
        // libmicrohttpd changes both options while it sends.
        var (on, off): (Int32, Int32) = (1, 0)
        let size = socklen_t(MemoryLayout<Int32>.size)
        setsockopt(own, Int32(IPPROTO_TCP), TCP_CORK, &off, size)
        setsockopt(own, Int32(IPPROTO_TCP), TCP_NODELAY, &on, size)
        receive(UpgradedConnection(descriptor: own, received: Array(received), lease: client.lease))
    }
}

extension Exchange: HTTPRecipient {
    /// Looks at the socket itself, as libmicrohttpd ignores suspended connections.
    var isGone: Bool {
        reply.withLock { reply in
            guard case .suspended(var suspended) = reply else {
                if case .none = reply { return false }
                return true
            }
            // The descriptor stays open while the connection is suspended.
            switch cmicrohttpd_closed_sides(suspended.connection) {
            case 0: return false
            case 1:
                let isSoon = MonotonicTime.now.seconds(since: suspended.began) < core.configuration.halfCloseSeconds
                if isSoon { suspended.isHalfClosed = true }
                reply = .suspended(suspended)
                return !suspended.isHalfClosed
            default: return true
            }
        }
    }
}

extension HTTPBody {
    /// Ends a stream that will not be sent.
    func end() {
        if case .stream(let stream) = self { stream.end() }
    }
}
