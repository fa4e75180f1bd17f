// SPDX-License-Identifier: Apache-2.0

internal import Kernel
public import Playback
internal import Synchronization

/// The sleep timers, alarms and scheduled starts of all players: a handle for any thread. Its loop runs on a thread of its
/// own, from the first timer on, which sleeps until one is due.
public final class Timers: Sendable {
    public typealias Reply = ServiceReply<PlayerTimer?>

    private let loop: LazyLoop<TimersLoop.Message>
    private let wait: WallClockWait
    private let board: TimerBoard

    public init(clock: any PlayerClock) {
        guard let wait = WallClockWait() else { Shortage.endProcess("descriptors", for: "timers") }
        let board = TimerBoard()
        (self.wait, self.board) = (wait, board)
        loop = LazyLoop("timers") { TimersLoop(clock, wait, board).run($0) }
    }

    /// For the bus: players come with the timers that were saved, and go.
    public func receive(_ change: PlayerChange, of player: HostedPlayer) {
        switch change {
        case .admitted: join(player)
        case .dismissed: leave(player.id)
        case .added, .removed: break
        }
    }

    /// From here on what is due is done. `server` makes items of what alarms play.
    public func begin(_ server: ServerService) {
        for id in board.begin(server) { restore(id) }
    }

    private func join(_ player: HostedPlayer) {
        if board.join(player) { restore(player.id) }
    }

    private func restore(_ id: String) {
        guard let note = board.player(id).flatMap({ TimerNote.text(in: $0.state.notes) }) else { return }
        // As they were saved, until the loop has them: whoever asks at once finds them.
        let book = TimerNote.book(note)
        board.publish(id, book.timers)
        post(.restore(id, book))
    }

    private func leave(_ id: String) {
        board.leave(id)
        if loop.postIfBegun(.forget(id)) { wait.ring() }
    }

    /// In the order in which they were made.
    public func timers(of id: String) -> [PlayerTimer] { board.timers(of: id) }

    /// `reply` comes once, when it is saved and in force, or with the reason why not: with the timer, nil when it is removed.
    public func perform(_ edit: TimerEdit, of player: String, reply: @escaping Reply) {
        post(.edit(player, edit, reply))
    }

    /// For `Player.observe`.
    public func receive(_ event: PlayerEvent, of player: String) {
        let report: TimerReport
        switch event.kind {
        case .status(let status, _, let reason, let wantsSound, let item, _, _):
            report = .status(status, reason, item: item?.number, wantsSound: wantsSound)
        case .slept: report = .slept
        case .startDropped(let time): report = .startDropped(at: time)
        case .settings(let settings):
            if let leader = settings.leader { handOver(player, to: leader) }
            return
        case .output(let output) where output.availability == .available: report = .outputIsBack
        default: return
        }
        // Without timers, nobody waits for it.
        guard !board.timers(of: player).isEmpty, loop.postIfBegun(.report(player, report)) else { return }
        wait.ring()
    }

    /// A player follows another one, or leaves its group to it.
    public func handOver(_ player: String, to leader: String) {
        guard !board.timers(of: player).isEmpty, loop.postIfBegun(.group(of: player, to: leader)) else { return }
        wait.ring()
    }

    /// `observer` is called with the player's id when `timers` gives something new; must not block.
    public func observe(_ observer: @escaping @Sendable (_ player: String) -> Void) { board.observe(observer) }

    /// Ends the thread; what the players do goes on until they end. Blocks for 1 s at most.
    public func shutdown() {
        loop.postIfBegun(.end)
        wait.ring()
        for message in loop.shutdown(.end, within: 1) { message.refuse() }
    }

    private func post(_ message: TimersLoop.Message) {
        do throws(LazyLoop<TimersLoop.Message>.Refusal) {
            try loop.post(message)
            wait.ring()
        } catch {
            switch error {
            case .noThread: message.refuse(.busy("The machine lets the server have no more threads."))
            case .ended: message.refuse()
            }
        }
    }
}

/// The players of the loop, and the lists that it publishes.
final class TimerBoard: Sendable {
    private struct State {
        var players: [String: HostedPlayer] = [:]
        /// nil until the server has begun.
        var server: ServerService?
    }

    private let state = Mutex(State())
    private let published = Published<[String: [PlayerTimer]], String>([:])

    /// - Returns: whether the server has begun.
    func join(_ player: HostedPlayer) -> Bool {
        state.withLock { state in
            state.players[player.id] = player
            return state.server != nil
        }
    }

    /// - Returns: the players that were there before.
    func begin(_ server: ServerService) -> [String] {
        state.withLock { state in
            state.server = server
            return Array(state.players.keys)
        }
    }

    func leave(_ id: String) {
        _ = state.withLock { $0.players.removeValue(forKey: id) }
        publish(id, nil)
    }

    func player(_ id: String) -> HostedPlayer? { state.withLock { $0.players[id] } }
    func timers(of id: String) -> [PlayerTimer] { published.value[id] ?? [] }

    /// Calls once, on any thread, with what can be played of it.
    func expand(_ items: [TimerItem], _ use: @escaping @Sendable ([ItemDraft]) -> Void) {
        guard let server = state.withLock({ $0.server }) else { return use([]) }
        server.expand(items, reply: use)
    }

    /// Notifies the observer when that is new.
    func publish(_ id: String, _ timers: [PlayerTimer]?) {
        published.change { published in
            defer { published[id] = timers }
            return published[id] ?? [] != timers ?? [] ? id : nil
        }
    }

    func observe(_ call: @escaping @Sendable (String) -> Void) { published.observe(call) }
}
