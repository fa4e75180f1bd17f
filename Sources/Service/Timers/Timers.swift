// SPDX-License-Identifier: Apache-2.0

internal import Kernel
public import Playback

/// The sleep timers, alarms and scheduled starts of all players: a handle for any thread. Its loop has a thread of its own,
/// which starts with the first timer and sleeps until one is due.
public final class Timers: Sendable {
    public typealias Reply = ServiceReply<PlayerTimer?>

    private let loop: LazyLoop<TimersLoop.Message>
    private let board = TimerBoard(TimerShared())

    public init(clock: any PlayerClock) {
        guard let wait = WallClockWait() else { Shortage.endProcess("descriptors", for: "timers") }
        loop = LazyLoop("timers", Mailbox(descriptorFor: "timers")) {
            $0.refuse(.busy($1.reason))
        } run: { [board] in
            TimersLoop(clock, wait, $0, board).run()
        }
    }

    /// For the bus. A player brings its saved timers.
    public func receive(_ change: PlayerChange, of player: HostedPlayer) {
        switch change {
        case .admitted:
            var isBegun = false
            board.update { shared in
                shared.players[player.id] = player
                isBegun = shared.server != nil
            }
            if isBegun { restore(player.id) }
        case .dismissed:
            board.update { $0.players[player.id] = nil }
            board.publish(player.id, nil)
            loop.postIfBegun(.forget(player.id))
        case .added, .removed: break
        }
    }

    /// Timers act from now on. `server` resolves the items of alarms.
    public func begin(_ server: ServerService) {
        var players: [String] = []
        board.update { shared in
            shared.server = server
            players = Array(shared.players.keys)
        }
        for id in players { restore(id) }
    }

    private func restore(_ id: String) {
        guard let note = board.value.players[id].flatMap({ TimerNote.text(in: $0.state.notes) }) else { return }
        // Published as saved, for clients that read before the loop has them.
        let book = TimerNote.book(note)
        board.publish(id, book.timers)
        loop.post(.restore(id, book))
    }

    /// In the order of their creation.
    public func timers(of id: String) -> [PlayerTimer] { board.value.timers[id] ?? [] }

    /// `reply` comes once: with the timer when the edit is saved and applied (nil if the timer no longer exists), or with
    /// the reason of the refusal. A snooze is applied at once, even if it cannot be saved.
    public func perform(_ edit: TimerEdit, of player: String, reply: @escaping Reply) {
        loop.post(.edit(player, edit, reply))
    }

    /// For `Player.observe`.
    public func receive(_ event: PlayerEvent, of player: String) {
        let report: TimerReport
        switch event.kind {
        case .status(let status, _, let reason, let wantsSound, let item, _, _):
            report = .status(status, reason, item: item?.number, wantsSound: wantsSound)
        case .slept: report = .slept
        case .startEnded(let time): report = .startEnded(at: time)
        case .settings(let settings):
            if let leader = settings.leader { handOver(player, to: leader) }
            return
        case .output(let output) where output.availability == .available: report = .outputIsBack
        default: return
        }
        postIfUsed(.report(player, report), player)
    }

    /// The player follows this leader now, or its group has this new leader.
    public func handOver(_ player: String, to leader: String) {
        postIfUsed(.group(of: player, to: leader), player)
    }

    /// Players without timers do not wake the loop.
    private func postIfUsed(_ message: TimersLoop.Message, _ player: String) {
        if !timers(of: player).isEmpty { loop.postIfBegun(message) }
    }

    /// `observer` is called with the player's id after a change of `timers`; it must not block.
    public func observe(_ observer: @escaping @Sendable (_ player: String) -> Void) { board.observe(observer) }

    /// Ends the thread; the players keep their sleep plans and starts. Blocks for up to 1 s.
    public func shutdown() { loop.shutdown(.end, within: 1) }
}

/// The state that `Timers` and its loop share. Its event is the id of a player whose timers have changed.
typealias TimerBoard = Published<TimerShared, String>

struct TimerShared: Sendable {
    var players: [String: HostedPlayer] = [:]
    /// nil until `Timers.begin`.
    var server: ServerService?
    /// By player.
    var timers: [String: [PlayerTimer]] = [:]
}

extension TimerBoard {
    func publish(_ id: String, _ timers: [PlayerTimer]?) {
        change { shared in
            defer { shared.timers[id] = timers }
            return shared.timers[id] ?? [] != timers ?? [] ? id : nil
        }
    }
}
