// SPDX-License-Identifier: Apache-2.0

import HTTP
import Synchronization

/// One WebSocket of the event channel.
final class EventSession: WebSocketSession, HTTPRecipient {
    static let maximumUnanswered = 100
    /// Of replies that were not taken; one large one always fits.
    static let maximumWaitingBytes = 1 << 20
    static let maximumMalformed = 10

    private struct State {
        /// Replies that the client has not taken yet, and commands that have none yet.
        var unanswered = 0
        var malformed = 0
        var ending: (code: UInt16, reason: String)?
        var isClosed = false
    }

    private let feed: EventFeed
    private let commands: CommandTable
    private let scope: AccessScope
    private let peer: HTTPPeer
    private let state = Mutex(State())

    init(_ feed: EventFeed, scope: AccessScope, peer: HTTPPeer, commands: CommandTable) {
        self.feed = feed
        self.commands = commands
        self.scope = scope
        self.peer = peer
    }

    func opened(wake: @escaping @Sendable () -> Void) {
        feed.connect(wake: wake)
    }

    func closed() {
        feed.disconnect()
        state.withLock { $0.isClosed = true }
    }

    var isGone: Bool { state.withLock { $0.isClosed } }

    /// Of its commands.
    var keepsOrder: Bool { true }

    func nextFrame() -> WebSocketFrame? {
        if let (code, reason) = state.withLock({ $0.ending }) { return .close(code: code, reason: reason) }
        if feed.isEnding { return .close(code: 1001, reason: "The server is going down.") }
        // Asked for first: what waits before it is set is sent before it counts.
        let parting = feed.parting
        guard case .frame(let frame) = feed.next().next else {
            return parting.map { .close(code: 1001, reason: $0) }
        }
        if frame.type == Self.replyType { state.withLock { $0.unanswered -= 1 } }
        return .text(frame.bytes)
    }

    func received(text: String) {
        let isTooMuch = state.withLock { state in
            state.unanswered += 1
            return state.unanswered > Self.maximumUnanswered
        }
        if isTooMuch || feed.keptBytes > Self.maximumWaitingBytes {
            return end("Too many commands wait for their replies to be read.")
        }
        // Messages are small enough to be read at once: the server of the channel takes no larger ones.
        handle(Array(text.utf8))
    }

    private func handle(_ bytes: [UInt8]) {
        var id: ClientFrame.Raw?
        do throws(Problem) {
            switch try JSONBody.read(ClientFrame.self, from: bytes, limits: .message) {
            case .subscribe(let events, let interval, let sent): subscribe(events, interval, sent)
            case .command(let name, let data, let sent):
                id = sent
                perform(try commands.route(name), data, sent)
            }
        } catch {
            reply(to: id ?? ClientFrame.id(in: bytes), error.response)
            let isTooMuch = state.withLock { state in
                state.malformed += 1
                return state.malformed >= Self.maximumMalformed
            }
            if isTooMuch { end("Too many messages that cannot be understood.") }
        }
    }

    private func subscribe(_ events: [EventName]?, _ interval: Double?, _ id: ClientFrame.Raw?) {
        var subscription = Subscription()
        subscription.selection = events.map(EventSelection.init) ?? feed.selection
        subscription.interval = interval ?? feed.interval
        feed.change(subscription)
        reply(
            to: id,
            .json(
                JSONWriter.object { writer in
                    writer.member("events", texts: subscription.selection.names.map(\.rawValue))
                    writer.member("interval", subscription.interval)
                }))
    }

    private func perform(_ route: Route, _ data: ClientFrame.Raw?, _ id: ClientFrame.Raw?) {
        guard scope >= route.scope ?? .read else {
            return reply(to: id, Problem(.scopeMissing(route.scope ?? .read)).response)
        }
        let request = HTTPRequest(
            method: route.method, path: route.pattern, body: data ?? [], peer: peer, recipient: self)
        do throws(Problem) {
            try route.handler(APICall(request: request)) { [self] response in reply(to: id, response) }
        } catch {
            reply(to: id, error.response)
        }
    }

    static let replyType = "reply"

    private func reply(to id: ClientFrame.Raw?, _ response: HTTPResponse) {
        let body =
            switch response.body {
            case .bytes(let bytes): bytes
            case .shared(let shared): shared.bytes
            case .none: Array("null".utf8)
            case .file, .stream, .upgrade: preconditionFailure("a command answers with a value")
            }
        let bytes = JSONWriter.object(capacity: body.count + 64) { writer in
            writer.member("type", Self.replyType)
            writer.member("id", raw: id ?? Array("null".utf8))
            writer.member("status", response.status)
            writer.member(response.status < 400 ? "result" : "problem", raw: body)
        }
        feed.keep(EventFrame(type: Self.replyType, sequence: nil, bytes: SharedBytes(bytes)))
    }

    private func end(_ reason: String) {
        state.withLock { $0.ending = (1008, reason) }
        feed.wakeAnyway()
    }
}
