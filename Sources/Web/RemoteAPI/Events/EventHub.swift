// SPDX-License-Identifier: Apache-2.0

import Playback
import Synchronization
import Kernel
import Service

/// Sends the player's events to every client of the event channel. Any thread.
///
/// Order of locks: the numbers (`PlayerTable.sequence`), the hub's (journal, list of subscribers), then the ticker's or
/// a subscriber's. A recorded event is numbered and put into every outbox under the lock of the numbers, so that every
/// client gets events in this order. Frames are delivered and connections are woken without the hub's lock.
final class EventHub: Sendable {
    private struct State {
        var journal: EventJournal
        var subscribers: [ObjectIdentifier: Subscriber] = [:]
        /// New subscribers that wait for the catalogue's details of the first items.
        var newcomers: [ObjectIdentifier: (subscriber: Subscriber, resume: ResumePoint?, due: MonotonicTime)] = [:]
        /// `subscribers` as a list for iteration without the lock; nil after a change.
        var list: [Subscriber]?
        var snapshotFrame: (frame: EventFrame, version: UInt64, sequence: UInt64, at: MonotonicTime)?
        var buffer = BufferNews()
        var isStopped = false
        /// Why nobody can subscribe any more, although the server runs.
        var retired: String?

        mutating func everyone() -> [Subscriber] {
            let all = list ?? Array(subscribers.values)
            list = all
            return all
        }
    }

    /// Seconds that a client waits for details from a catalogue that does not answer.
    static let patience = 1.0

    let encoder: EventEncoder
    let player: any PlayerControl
    private let verbs: PlayerService
    let clock: any PlayerClock
    /// Numbers the events of all players.
    private let players: PlayerTable
    private let state: Mutex<State>
    let ticker: EventTicker
    /// Counts since the start, for `/metrics`.
    let sent = Atomic(0)
    let dropped = Atomic(0)
    let resyncs = Atomic(0)

    init(_ context: PlayerContext, server: String) {
        player = context.player
        verbs = context.verbs
        clock = context.clock
        encoder = EventEncoder(
            links: context.links, epoch: context.epoch, server: server, followers: context.followers)
        players = context.players
        state = Mutex(State(journal: EventJournal(after: players.sequence.withLock { $0 })))
        ticker = EventTicker(player, clock, encoder)
    }

    var subscriberCount: Int { state.withLock { $0.subscribers.count } }
    func everyone() -> [Subscriber] { state.withLock { $0.everyone() } }
    var latestSequence: UInt64 { state.withLock { $0.journal.sequence } }

    // MARK: From the player

    /// One at a time and in order, from any thread.
    func receive(_ event: PlayerEvent) {
        if case .jumped(let position, let itemID) = event.kind {
            let frame = encoder.time(position, itemID: itemID, version: event.version, at: Moment(clock))
            for subscriber in everyone() { subscriber.set(frame) }
        } else if case .loaded = event.kind {
            reportBuffer()
        } else if let (name, data) = encoder.recorded(event) {
            record(name, (event.wallMilliseconds, event.version)) { JSONWriter.object(data) }
            if name == .item {
                // Waiting `buffer` events of slow clients were dropped, as they may belong to the previous item.
                state.withLock { $0.buffer.forget() }
                reportBuffer()
            }
        }
        wakeTicker()
    }

    /// Records an event other than a change of the player's own state. Any thread. `data` is written under the lock of
    /// the numbers, so that its state is never older than that of an earlier event.
    func report(_ name: EventName, _ data: (inout JSONWriter) -> Void) {
        record(name, nil) { JSONWriter.object(data) }
    }

    /// Records an event of the server, whose data is the same in every channel.
    func report(_ name: EventName, encoded data: [UInt8]) { record(name, nil) { data } }

    /// Replaces a state of the server with an encoded one.
    func setState(_ name: EventName, _ data: [UInt8]) {
        let everyone = everyone()
        guard !everyone.isEmpty else { return }
        let frame = encoder.frame(name, at: clock.wallMilliseconds, version: player.snapshot.version, data: data)
        for subscriber in everyone { subscriber.set(frame) }
    }

    /// `stamp`: nil is now. The player records all events of a version before it publishes the next one, so that
    /// versions never fall; only a leader's event in a follower's channel may be late.
    private func record(_ name: EventName, _ stamp: (at: Int64, version: UInt64)?, _ data: () -> [UInt8]) {
        let wakes = players.sequence.withLock { latest in
            var (wallMilliseconds, version) = stamp ?? (clock.wallMilliseconds, player.snapshot.version)
            let (recorded, everyone) = state.withLock { state in
                version = max(version, state.journal.version)
                let recorded = state.journal.record(after: latest) { sequence in
                    encoder.frame(name, sequence, at: wallMilliseconds, version: version, data: data())
                }
                return (recorded, state.everyone())
            }
            latest = recorded.sequence ?? latest
            return everyone.compactMap { $0.deliver(recorded) }
        }
        for wake in wakes { wake() }
    }

    // MARK: Subscribers

    /// Greets the client when the details of its first items are known, and subscribes it from then on.
    func connect(_ subscriber: Subscriber, resume: ResumePoint?) {
        let items = player.queueWindow(offset: 0, limit: EventEncoder.firstWindow).items
        guard verbs.server.details.complete(items) == nil else { return admit(subscriber, resume) }
        let due = clock.now.advanced(bySeconds: Self.patience)
        let isFirst = state.withLock { state in
            state.newcomers[ObjectIdentifier(subscriber)] = (subscriber, resume, due)
            return state.newcomers.count == 1
        }
        players.wakeTimer()
        if isFirst { verbs.withDetails(of: items) { [self] _ in admitNewcomers() } }
    }

    private func admitNewcomers() {
        while let newcomer = state.withLock({ $0.newcomers.values.first }) {
            admit(newcomer.subscriber, newcomer.resume, isNewcomer: true)
        }
    }

    private func admit(_ subscriber: Subscriber, _ resume: ResumePoint?, isNewcomer: Bool = false) {
        let (isStopped, retired) = state.withLock { state -> (Bool, String?) in
            // The client may have left meanwhile.
            let newcomer = state.newcomers.removeValue(forKey: ObjectIdentifier(subscriber))
            if isNewcomer, newcomer == nil { return (false, nil) }
            if state.isStopped || state.retired != nil { return (state.isStopped, state.retired) }
            greet(subscriber, resume, &state)
            state.subscribers[ObjectIdentifier(subscriber)] = subscriber
            state.list = nil
            ticker.schedule(subscriber)
            return (false, nil)
        }
        if isStopped { return subscriber.end() }
        if let retired { return subscriber.part(retired) }
        subscriber.wakeAnyway()
        wakeTicker()
    }

    func change(_ subscriber: Subscriber, _ subscription: Subscription) {
        subscriber.change(subscription)
        state.withLock { state in
            if state.subscribers[ObjectIdentifier(subscriber)] != nil { ticker.schedule(subscriber) }
        }
        wakeTicker()
    }

    func disconnect(_ subscriber: Subscriber) {
        state.withLock { state in
            state.newcomers[ObjectIdentifier(subscriber)] = nil
            guard state.subscribers.removeValue(forKey: ObjectIdentifier(subscriber)) != nil else { return }
            state.list = nil
            ticker.remove(subscriber)
        }
        subscriber.setWake(nil)
    }

    /// The connection's next frame; after `.resync` the caller calls `resync`. Never blocks for long.
    func next(for subscriber: Subscriber) -> Outbox.Next {
        let next = subscriber.next()
        if case .frame = next { sent.add(1, ordering: .relaxed) }
        return next
    }

    private func greet(_ subscriber: Subscriber, _ resume: ResumePoint?, _ state: inout State) {
        let moment = Moment(clock)
        let snapshot = player.snapshot
        let sequence = state.journal.sequence
        let selection = subscriber.selection
        let hello = encoder.hello(
            selection, interval: subscriber.subscription.interval, sequence: sequence, version: snapshot.version,
            at: moment)
        guard let resume else {
            return subscriber.begin(after: sequence, [hello, snapshotFrame(&state)])
        }
        guard resume.epoch == encoder.epoch, let missed = state.journal.events(since: resume.sequence) else {
            resyncs.add(1, ordering: .relaxed)
            let notice = encoder.resync(sequence: sequence, version: snapshot.version, at: moment)
            return subscriber.begin(after: sequence, [hello, notice, snapshotFrame(&state)])
        }
        // A client that is cut off now must resume from its old place, not from that in `hello`.
        var unplaced = hello
        unplaced.sequence = nil
        subscriber.begin(after: sequence, [unplaced] + missed.filter { $0.name.map(selection.contains) ?? false })
        // Jumps, the loaded part and the library's states are not recorded, so the client may have missed the last one.
        subscriber.set(
            encoder.time(snapshot.clock, itemID: snapshot.item?.item.id, version: snapshot.version, at: moment))
        subscriber.set(encoder.buffer(LoadedMedia(snapshot), version: snapshot.version, at: moment))
        if selection.contains(.library), let library = verbs.server.parts.library {
            let data = JSONWriter.object(capacity: 512) { $0.members(of: library.status) }
            subscriber.set(encoder.frame(.library, at: moment.wallMilliseconds, version: snapshot.version, data: data))
        }
    }

    /// Replaces the lost events with the whole state. Encodes a snapshot, so it must not be called under the lock of
    /// the numbers.
    func resync(_ subscriber: Subscriber) {
        resyncs.add(1, ordering: .relaxed)
        dropped.add(subscriber.takeLostCount(), ordering: .relaxed)
        state.withLock { state in
            let snapshot = snapshotFrame(&state)
            let notice = encoder.resync(
                sequence: state.journal.sequence, version: player.snapshot.version, at: Moment(clock))
            subscriber.begin(after: state.journal.sequence, [notice, snapshot])
        }
    }

    /// The whole state, encoded once for all clients that connect at the same time.
    private func snapshotFrame(_ state: inout State) -> EventFrame {
        let moment = Moment(clock)
        let snapshot = player.snapshot
        if let last = state.snapshotFrame, last.version == snapshot.version, last.sequence == state.journal.sequence,
            moment.monotonic.seconds(since: last.at) < 0.05
        {
            return last.frame
        }
        let window = player.queueWindow(offset: 0, limit: EventEncoder.firstWindow)
        let frame = encoder.snapshot(
            snapshot, window, verbs.server.details.atHand(window.items), sequence: state.journal.sequence, at: moment)
        state.snapshotFrame = (frame, snapshot.version, state.journal.sequence, moment.monotonic)
        return frame
    }

    // MARK: The end

    /// The player was removed: connections end after their waiting frames are sent.
    func retire(_ reason: String) {
        let everyone = state.withLock { state in
            state.retired = reason
            return state.everyone()
        }
        for subscriber in everyone { subscriber.part(reason) }
        admitNewcomers()
    }

    /// Ends every connection.
    func stop() {
        let everyone = state.withLock { state in
            state.isStopped = true
            return state.everyone()
        }
        for subscriber in everyone { subscriber.end() }
        admitNewcomers()
    }

    // MARK: Time

    private func wakeTicker() {
        if !ticker.isEmpty || state.withLock({ !$0.subscribers.isEmpty && $0.buffer.nextDue != nil }) {
            players.wakeTimer()
        }
    }

    /// On the channel's thread: sends due events. Returns the time of the next call.
    func tick() -> MonotonicTime? {
        let timed = ticker.tick()
        let now = clock.now
        if state.withLock({ $0.buffer.isDue(now) }) { reportBuffer() }
        if state.withLock({ $0.newcomers.values.contains { $0.due <= now } }) { admitNewcomers() }
        return state.withLock { state in
            ([timed, state.buffer.nextDue] + state.newcomers.values.map { $0.due }).compactMap { $0 }.min()
        }
    }

    private func reportBuffer() {
        let snapshot = player.snapshot
        let loaded = LoadedMedia(snapshot)
        let moment = Moment(clock)
        let everyone = state.withLock { state in
            state.buffer.report(loaded, now: moment.monotonic) ? state.everyone() : nil
        }
        guard let everyone else { return }
        let frame = encoder.buffer(loaded, version: snapshot.version, at: moment)
        for subscriber in everyone { subscriber.set(frame) }
    }
}
