// SPDX-License-Identifier: Apache-2.0

import HTTP
import Service
import Synchronization

/// One WebSocket of the event channel.
final class EventSession: WebSocketSession {
    /// Further commands wait for their turn.
    static let maximumUnanswered = 100
    /// Limit of unread replies and waiting commands; one large reply or command always fits.
    static let maximumWaitingBytes = 2 << 20
    static let maximumMalformed = 10

    private struct State {
        /// Commands wait until the client has its greeting: `hello` comes first, and a command's effect is an event after the
        /// snapshot.
        var isGreeted = false
        /// Unread replies, and commands without a reply.
        var unanswered = 0
        var backlog = Backlog()
        var malformed = 0
        var ending: (code: UInt16, reason: String)?
        var isClosed = false
        var isOver: Bool { ending != nil || isClosed }
    }

    /// Commands that wait for their turn.
    private struct Backlog {
        private(set) var bytes = 0
        private var texts: ArraySlice<String> = []

        static func cost(_ text: String) -> Int { text.utf8.count + 32 }

        mutating func add(_ text: String) {
            texts.append(text)
            bytes += Self.cost(text)
        }

        mutating func next() -> String? {
            guard let text = texts.popFirst() else { return nil }
            bytes -= Self.cost(text)
            return text
        }
    }

    private let feed: EventFeed
    private let commands: CommandTable
    private let scope: AccessScope
    /// nil for this machine.
    private let address: String?
    private let state = Mutex(State())

    init(_ feed: EventFeed, scope: AccessScope, peer: HTTPPeer, commands: CommandTable) {
        self.feed = feed
        self.commands = commands
        self.scope = scope
        address = if case .remote(let address) = peer { address } else { nil }
    }

    func opened(wake: @escaping @Sendable () -> Void) {
        feed.connect(wake: wake)
    }

    func closed() {
        feed.disconnect()
        state.withLock { state in
            state.isClosed = true
            state.backlog = Backlog()
        }
    }

    func nextFrame() -> WebSocketFrame? {
        if let (code, reason) = state.withLock({ $0.ending }) { return .close(code: code, reason: reason) }
        if feed.client.isEnding { return .close(code: 1001, reason: "The server is going down.") }
        // Read first: frames that wait before it is set are still sent.
        let parting = feed.client.parting
        let (next, epoch) = feed.next()
        guard case .frame(let frame) = next else {
            return parting.map { .close(code: 1001, reason: $0) }
        }
        if frame.type == Self.replyType { proceed { $0.unanswered -= 1 } }
        if frame.type == EventEncoder.helloType, epoch == feed.epoch { proceed { $0.isGreeted = true } }
        return .text(frame.bytes)
    }

    func received(text: String) {
        enum Turn { case now, later, never, tooMuch }
        let keptBytes = feed.client.keptBytes
        let turn = state.withLock { state -> Turn in
            // The client may take a while to accept the end.
            if state.isOver { return .never }
            if keptBytes > Self.maximumWaitingBytes { return .tooMuch }
            if state.isGreeted, state.unanswered < Self.maximumUnanswered {
                state.unanswered += 1
                return .now
            }
            guard state.backlog.bytes + Backlog.cost(text) <= Self.maximumWaitingBytes else { return .tooMuch }
            state.backlog.add(text)
            return .later
        }
        switch turn {
        // Read on this thread, as the WebSocket server bounds the size of messages.
        case .now: handle(Array(text.utf8))
        case .later, .never: break
        case .tooMuch: end("Too many commands wait for their replies to be read.")
        }
    }

    /// The greeting or a reply was read: handles the commands whose turn has come.
    private func proceed(after change: (inout State) -> Void) {
        let texts = state.withLock { state in
            change(&state)
            var texts: [String] = []
            while state.unanswered < Self.maximumUnanswered, let text = state.backlog.next() {
                state.unanswered += 1
                texts.append(text)
            }
            return texts
        }
        for text in texts { handle(Array(text.utf8)) }
    }

    private func handle(_ bytes: [UInt8]) {
        var id: ClientFrame.Raw?
        var isReadable = false
        do throws(Problem) {
            switch try JSONBody(bytes).read(ClientFrame.self, limits: .message) {
            case .subscribe(let change, let sent):
                (id, isReadable) = (sent, true)
                try subscribe(change, sent)
            case .command(let name, let data, let sent):
                (id, isReadable) = (sent, true)
                let caller = Caller(channel: ObjectIdentifier(self), address: address) { [weak self] in
                    self?.state.withLock { $0.isClosed } ?? true
                }
                let command = Command(body: JSONBody(data ?? []), caller: caller)
                try commands.command(name, scope: scope)(command) { [self] in reply(to: sent, $0) }
            }
        } catch {
            reply(to: id ?? ClientFrame.id(in: bytes), error.response)
            // Only unreadable messages count, not refused ones.
            if isReadable || ![.malformed, .tooLarge].contains(error.kind) { return }
            let isTooMuch = state.withLock { state in
                state.malformed += 1
                return state.malformed >= Self.maximumMalformed
            }
            if isTooMuch { end("Too many unreadable messages.") }
        }
    }

    private func subscribe(_ change: SubscriptionChange, _ id: ClientFrame.Raw?) throws(Problem) {
        var subscription = feed.client.subscription
        try subscription.apply(change)
        feed.change(subscription)
        let response = HTTPResponse.json { writer in
            writer.member("events", texts: subscription.selection.names)
            writer.member("interval", subscription.interval)
            writer.member("levelsInterval", subscription.levelsInterval)
            writer.member("bands", subscription.bands)
        }
        reply(to: id, response)
    }

    static let replyType = "reply"

    private func reply(to id: ClientFrame.Raw?, _ response: HTTPResponse) {
        let null = Array("null".utf8)
        let json = if case .bytes(let bytes) = response.body { bytes } else { null }
        let bytes = JSONWriter.object(capacity: json.count + 64) { writer in
            writer.member("type", Self.replyType)
            writer.member("id", raw: id ?? null)
            writer.member("status", response.status)
            writer.member(response.status < 400 ? "result" : "problem", raw: json)
        }
        feed.client.keep(EventFrame(type: Self.replyType, version: 0, bytes: SharedBytes(bytes)))
    }

    private func end(_ reason: String) {
        state.withLock { state in
            state.ending = (1008, reason)
            state.backlog = Backlog()
        }
        feed.client.wakeAnyway()
    }
}

/// A text message of a client.
enum ClientFrame: JSONReadable {
    /// Bytes of an `id`, which every reply repeats.
    static let largestID = 256

    /// JSON as it was sent: replies repeat the `id`, and the route reads the `data`.
    typealias Raw = [UInt8]

    case subscribe(SubscriptionChange, id: Raw?)
    case command(name: String, data: Raw?, id: Raw?)

    /// The `id` of an otherwise refused message, so that its reply can be matched. nil if it has none, or is not JSON.
    static func id(in bytes: [UInt8]) -> Raw? {
        do {
            return try id(of: StrictObject(try JSONReader.read(bytes, limits: .message)))
        } catch {
            return nil
        }
    }

    init(_ json: JSONNode) throws(Problem) {
        let object = try StrictObject(
            json, ["type", "id", "command", "data", "events", "interval", "levelsInterval", "bands"])
        let id = try Self.id(of: object)
        switch try object.text("type") {
        case "subscribe":
            let change = SubscriptionChange(
                events: try object.nested([String].self, "events"),
                interval: try object.number("interval", in: -1e9...1e9),
                levelsInterval: try object.number("levelsInterval", in: -1e9...1e9),
                bands: try object.integer("bands", in: -1_000...1_000))
            self = .subscribe(change, id: id)
        case "command":
            let name = try object.needed(object.text("command"), "command")
            self = .command(name: name, data: object["data"]?.raw, id: id)
        default: throw object.invalid("type", "must be subscribe or command")
        }
    }

    private static func id(of object: StrictObject) throws(Problem) -> Raw? {
        guard let id = object["id"] else { return nil }
        let raw = id.raw
        guard raw.count <= largestID else { throw object.invalid("id", "must have at most \(largestID) bytes") }
        try checkNumbers(id)
        return raw
    }

    /// Many JSON readers would change a larger number.
    private static func checkNumbers(_ id: JSONNode) throws(Problem) {
        guard id.integer != nil || (id.number?.magnitude ?? 0) < 0x1p63 else {
            throw id.invalid("is a number too large to be repeated")
        }
        for element in id.elements { try checkNumbers(element) }
        for member in id.members { try checkNumbers(member.value) }
    }
}
