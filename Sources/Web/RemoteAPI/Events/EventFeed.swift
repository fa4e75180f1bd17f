// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The events of one connection: those of one player, or with `?players=all` those of every player.
///
/// Each player's events wait in their own outbox. `next` merges them by their numbers, which all players share
/// (`PlayerTable.sequence`). Any thread; `next` from one at a time.
final class EventFeed: Sendable {
    private struct Source {
        let hub: EventHub
        let subscriber: Subscriber
    }

    private struct State {
        /// The other players; empty in a feed of one player.
        var others: [Source] = []
        /// The source that `next` reads first.
        var turn = 0
        /// nil before the connection is open and after its end.
        var wake: (@Sendable () -> Void)?
        /// Nothing is sent before that, so that missed events of several players come in the order of their numbers.
        var isComplete = false
    }

    private let own: Source
    private let players: PlayerTable
    private let resumes: [ResumePoint]
    private let isOfAll: Bool
    private let state = Mutex(State())

    init(_ request: EventRequest, own hub: EventHub, players: PlayerTable, wantsHeartbeat: Bool = false) {
        own = Source(hub: hub, subscriber: Subscriber(request.subscription, wantsHeartbeat: wantsHeartbeat))
        self.players = players
        resumes = request.resumes
        isOfAll = request.isOfAll
    }

    func connect(wake: @escaping @Sendable () -> Void) {
        state.withLock { $0.wake = wake }
        connect(own, wake, resumes)
        if isOfAll { for hub in players.join(self) { add(hub, resumes) } }
        state.withLock { $0.isComplete = true }
        wake()
    }

    func disconnect() {
        if isOfAll { players.leave(self) }
        let others = state.withLock { state in
            defer { state = State() }
            return state.others
        }
        for source in [own] + others { source.hub.disconnect(source.subscriber) }
    }

    /// A player was added. The table may call this concurrently.
    func add(_ hub: EventHub, _ resumes: [ResumePoint] = []) {
        let added = state.withLock { state -> (source: Source, wake: @Sendable () -> Void)? in
            guard let wake = state.wake, hub !== own.hub, !state.others.contains(where: { $0.hub === hub }) else {
                return nil
            }
            // Read under the lock: a change of the subscription comes before, or finds the new source.
            let source = Source(hub: hub, subscriber: Subscriber(Self.others(own.subscriber.subscription)))
            state.others.append(source)
            return (source, wake)
        }
        guard let (source, wake) = added else { return }
        connect(source, wake, resumes)
        // The client may have left before the hub knew the subscriber.
        if state.withLock({ $0.wake == nil }) { hub.disconnect(source.subscriber) }
    }

    private func connect(_ source: Source, _ wake: @escaping @Sendable () -> Void, _ resumes: [ResumePoint]) {
        source.subscriber.setWake(wake)
        // Without a resume point of this player, one of another player is used: its epoch does not match, so the whole
        // state is sent.
        let resume = resumes.first { $0.epoch == source.hub.encoder.epoch } ?? resumes.first
        source.hub.connect(source.subscriber, resume: resume)
    }

    /// The connection's own subscriber: its options, its replies and its end.
    var client: Subscriber { own.subscriber }
    /// Of the connection's own player.
    var epoch: String { own.hub.encoder.epoch }

    func change(_ subscription: Subscription) {
        own.hub.change(own.subscriber, subscription)
        let others = Self.others(subscription)
        for source in state.withLock({ $0.others }) { source.hub.change(source.subscriber, others) }
    }

    private static func others(_ subscription: Subscription) -> Subscription {
        var others = subscription
        // Events of the server come once, as events of the connection's own player.
        others.selection.subtract([.library, .cache, .session, .recordLevel, .players])
        return others
    }

    /// The connection's next frame, and the epoch of its player. Never blocks for long.
    func next() -> (next: Outbox.Next, epoch: String) {
        while true {
            let (next, source) = take()
            guard case .resync = next else { return (next, source.hub.encoder.epoch) }
            source.hub.resync(source.subscriber)
        }
    }

    /// - Returns: the next frame and its source, also with `.resync`.
    private func take() -> (next: Outbox.Next, source: Source) {
        let (others, turn, isComplete) = state.withLock { ($0.others, $0.turn, $0.isComplete) }
        guard isComplete else { return (.none, own) }
        guard !others.isEmpty else { return (own.hub.next(for: own.subscriber), own) }
        let sources = [own] + others
        // Under this lock no player records: the waiting frames are complete up to the latest number.
        return players.sequence.withLock { _ in
            let waiting = sources.map { $0.subscriber.first }
            let greets = waiting.contains { $0 != nil && $0?.name == nil }
            let lowest = waiting.compactMap { $0?.name == nil ? nil : $0?.sequence }.min()
            var idle: Outbox.Next = .none
            for offset in sources.indices {
                let index = (turn + offset) % sources.count
                let source = sources[index]
                // First greetings, replies, and the last time of an item: it has no number, and precedes the item's end. Then events
                // in the order of their numbers.
                if let event = waiting[index], event.name != nil, let number = event.sequence,
                    greets || number != lowest
                {
                    continue
                }
                let isParting = source.subscriber.parting != nil
                switch source.hub.next(for: source.subscriber) {
                case .frame(let frame):
                    state.withLock { $0.turn = index + 1 }
                    return (.frame(frame), source)
                case .resync: return (.resync, source)
                case .heartbeat: idle = .heartbeat
                case .none: if isParting, index > 0 { drop(source) }
                }
            }
            return (idle, own)
        }
    }

    /// Its player was removed.
    private func drop(_ source: Source) {
        state.withLock { state in state.others.removeAll { $0.hub === source.hub } }
        source.hub.disconnect(source.subscriber)
    }
}
