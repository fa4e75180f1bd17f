// SPDX-License-Identifier: Apache-2.0

import Kernel
import Playback
import Service
import Synchronization

/// Sends timed events, at each client's own rate: `time`, levels, and heartbeats. Any thread; `tick` on the channel's.
final class EventTicker: Sendable {
    static let heartbeatInterval = 15.0

    private struct State {
        var times = TimeSchedule<Subscriber>()
        var levels = TimeSchedule<Subscriber>()
        var heartbeats = TimeSchedule<Subscriber>()
        var timeIsRunning = false

        var isEmpty: Bool { times.isEmpty && levels.isEmpty && heartbeats.isEmpty }

        var nextDue: MonotonicTime? {
            let running = timeIsRunning ? [times.nextDue, levels.nextDue] : []
            return (running + [heartbeats.nextDue]).compactMap { $0 }.min()
        }

        mutating func run(_ isRunning: Bool, _ now: MonotonicTime) {
            // The jump that started the clock was sent at once; the next event is due after an interval.
            if isRunning, !timeIsRunning {
                times.realign(now)
                levels.realign(now)
            }
            timeIsRunning = isRunning
        }
    }

    private let player: any PlayerControl
    private let clock: any PlayerClock
    private let encoder: EventEncoder
    private let feed: LevelFeed
    private let state = Mutex(State())

    init(_ player: any PlayerControl, _ clock: any PlayerClock, _ encoder: EventEncoder) {
        self.player = player
        self.clock = clock
        self.encoder = encoder
        feed = LevelFeed(player)
    }

    // MARK: Clients

    /// Adds the client, or updates its rates.
    func schedule(_ subscriber: Subscriber) {
        let (wishes, now) = (subscriber.subscription, clock.now)
        state.withLock { state in
            func set(_ schedule: inout TimeSchedule<Subscriber>, _ interval: Double?) {
                if let interval {
                    schedule.set(subscriber, interval: interval, now: now)
                } else {
                    schedule.remove(subscriber)
                }
            }
            set(&state.times, wishes.selection.contains(.time) ? wishes.interval : nil)
            set(&state.levels, !wishes.selection.isDisjoint(with: .measured) ? wishes.levelsInterval : nil)
            set(&state.heartbeats, subscriber.wantsHeartbeat ? Self.heartbeatInterval : nil)
            feed.listen(!state.levels.isEmpty)
        }
    }

    func remove(_ subscriber: Subscriber) {
        state.withLock { state in
            state.times.remove(subscriber)
            state.levels.remove(subscriber)
            state.heartbeats.remove(subscriber)
            feed.listen(!state.levels.isEmpty)
        }
    }

    var isEmpty: Bool { state.withLock { $0.isEmpty } }

    // MARK: Time

    /// Sends due events; returns the time of the next call, nil if only a change can make an event due.
    func tick() -> MonotonicTime? {
        guard !isEmpty else { return nil }
        let moment = Moment(clock)
        let snapshot = player.snapshot
        let now = moment.monotonic
        let (times, levels, heartbeats) = state.withLock { state in
            let isRunning = snapshot.clock.rate != 0
            state.run(isRunning, now)
            return (
                isRunning ? state.times.takeDue(now) : [], isRunning ? state.levels.takeDue(now) : [],
                state.heartbeats.takeDue(now)
            )
        }
        if !times.isEmpty {
            let frame = encoder.time(
                snapshot.clock, itemID: snapshot.item?.item.id, version: snapshot.version, at: moment)
            for subscriber in times.joined() { subscriber.set(frame) }
        }
        if !levels.isEmpty { feed.send(to: levels, snapshot, encoder, at: moment) }
        for subscriber in heartbeats.joined() { subscriber.setHeartbeat() }
        return state.withLock { $0.nextDue }
    }
}
