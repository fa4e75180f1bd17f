// SPDX-License-Identifier: Apache-2.0

internal import Kernel
internal import Playback

/// The inside of `Timers`. Lives on its thread.
final class TimersLoop {
    enum Message: Sendable {
        case restore(String, TimerBook)
        case forget(String)
        case edit(String, TimerEdit, Timers.Reply)
        case saved(String, failure: SaveFailure?)
        case report(String, TimerReport)
        /// The music of a player's group is another one's: so are its timers.
        case group(of: String, to: String)
        case end

        func refuse(_ problem: Problem = TimersLoop.goingDown) {
            if case .edit(_, _, let reply) = self { reply(.failure(problem)) }
        }
    }

    static let goingDown = Problem.busy("The server is going down.")
    /// Wall and steady clock drift apart by less, unless somebody sets one, in milliseconds.
    private static let tolerance: Int64 = 100

    private struct Member {
        var book: TimerBook
        /// As they were last given to the store.
        var saved: [PlayerTimer]
        /// Comes into force once it is saved; the others wait for their turn.
        var edits: [(edit: TimerEdit, reply: Timers.Reply)] = []
        /// When the first edit was given to the store; nil: none is there.
        var savingSince: TimerMoment?
    }

    private let clock: any PlayerClock
    private let wait: WallClockWait
    private let board: TimerBoard
    private var mailbox: Mailbox<Message>?
    private var members: [String: Member] = [:]
    /// No timer of any player has this number, or a higher one.
    private var nextNumber: UInt64 = 1
    /// What the wall clock shows when the steady one is at 0, in milliseconds.
    private var offset: Int64

    init(_ clock: any PlayerClock, _ wait: WallClockWait, _ board: TimerBoard) {
        (self.clock, self.wait, self.board) = (clock, wait, board)
        offset = clock.wallMilliseconds - clock.now.nanoseconds / 1_000_000
    }

    func run(_ mailbox: Mailbox<Message>) {
        self.mailbox = mailbox
        while true {
            // Without waiting: the wait is below.
            for message in mailbox.take(until: MonotonicTime(nanoseconds: 0)) {
                if case .end = message { return end() }
                receive(message)
            }
            let moment = self.moment
            let jump = moment.wall - moment.monotonic.nanoseconds / 1_000_000 - offset
            let isSet = abs(jump) > Self.tolerance
            if isSet { offset += jump }
            for id in members.keys {
                act(id) { isSet ? $0.clockWasSet(by: jump, moment) : $0.advance(moment) }
            }
            let due = members.values.map(\.book.due)
            wait.wait(untilWall: due.compactMap(\.wall).min(), until: due.compactMap(\.monotonic).min())
        }
    }

    private var moment: TimerMoment { TimerMoment(wall: clock.wallMilliseconds, monotonic: clock.now) }

    private func receive(_ message: Message) {
        switch message {
        case .restore(let id, let book):
            members[id] = Member(book: book, saved: book.timers)
            act(id) { $0.resume(moment) }
        case .forget(let id):
            for (_, reply) in members.removeValue(forKey: id)?.edits ?? [] { reply(.failure(.unknownTimer(id))) }
            board.publish(id, nil)
        case .edit(let id, let edit, let reply):
            members[id, default: Member(book: TimerBook(), saved: [])].edits.append((edit, reply))
            beginEdit(id)
        case .saved(let id, let failure): saved(id, failure)
        case .report(let id, let report): act(id) { $0.report(report, moment) }
        case .group(let id, let leader): passOn(id, to: leader)
        case .end: return
        }
    }

    private func passOn(_ id: String, to leader: String) {
        guard board.player(leader) != nil else { return }
        var moved: [PlayerTimer] = []
        act(id) { book in
            moved = book.timers.filter(\.concernsGroup)
            book.timers.removeAll(where: \.concernsGroup)
            return []
        }
        guard !moved.isEmpty else { return }
        if members[leader] == nil { members[leader] = Member(book: TimerBook(), saved: []) }
        act(leader) { $0.take(moved, moment) }
    }

    private func end() {
        for member in members.values { for (_, reply) in member.edits { reply(.failure(Self.goingDown)) } }
        for message in mailbox?.close() ?? [] { message.refuse() }
    }

    // MARK: Edits

    /// Ids are unique among all players: a follower shows its leader's timers beside its own.
    private func reserveNumber(for id: String) {
        let first = max(nextNumber, members.values.map(\.book.nextNumber).max() ?? 1)
        // One more, for an edit that is being saved.
        nextNumber = first + 2
        members[id]?.book.nextNumber = first
    }

    /// Saves the next edit; it is done when that has succeeded.
    private func beginEdit(_ id: String) {
        while let (edit, reply) = members[id]?.edits.first, members[id]?.savingSince == nil {
            if case .add = edit { reserveNumber(for: id) }
            guard var proposed = members[id]?.book else { return }
            do throws(Problem) {
                let moment = moment
                _ = try proposed.apply(edit, moment)
                members[id]?.savingSince = moment
                save(id, proposed) { [mailbox, wait] failure in
                    mailbox?.post(.saved(id, failure: failure))
                    wait.ring()
                }
            } catch {
                members[id]?.edits.removeFirst()
                reply(.failure(error))
            }
        }
    }

    private func saved(_ id: String, _ failure: SaveFailure?) {
        guard let since = members[id]?.savingSince, let (edit, reply) = members[id]?.edits.removeFirst() else { return }
        members[id]?.savingSince = nil
        if let failure {
            let detail = "The timers cannot be saved: \(failure.reason)."
            reply(.failure(.notSaved(detail, isDiskFull: failure.isDiskFull)))
        } else {
            var result: Result<TimerID, Problem> = .failure(Self.goingDown)
            act(id) { book in
                do throws(Problem) {
                    let (timer, effects) = try book.apply(edit, since)
                    result = .success(timer)
                    return effects
                } catch {
                    // It has gone off while it was saved.
                    result = .failure(error)
                    return []
                }
            }
            let timers = members[id]?.book.timers ?? []
            if let leader = board.player(id)?.player.snapshot.settings.leader { passOn(id, to: leader) }
            reply(result.map { timer in timers.first { $0.id == timer } })
        }
        beginEdit(id)
    }

    private func save(_ id: String, _ book: TimerBook, _ done: @escaping @Sendable (SaveFailure?) -> Void) {
        members[id]?.saved = book.timers
        guard let player = board.player(id) else { return done(SaveFailure("the player is gone")) }
        player.state.store.save([TimerNote.change(book)], completion: done)
    }

    // MARK: What is due

    /// Changes the book, does what comes of it, saves and publishes.
    private func act(_ id: String, _ change: (inout TimerBook) -> [TimerBook.Effect]) {
        guard var book = members[id]?.book else { return }
        let effects = change(&book)
        members[id]?.book = book
        // What goes off does so whether that can be saved or not.
        if let member = members[id], member.savingSince == nil, book.timers != member.saved { save(id, book) { _ in } }
        board.publish(id, book.timers)
        for effect in effects { perform(effect, id) }
    }

    private func perform(_ effect: TimerBook.Effect, _ id: String) {
        guard let player = board.player(id)?.player else { return }
        switch effect {
        case .sleep(let plan): player.perform(.sleep(plan))
        case .start(let start, let time):
            let target = start.item.map { PlayTarget.item($0) } ?? .current
            player.perform(.start(target, position: start.position, at: time))
        case .silence: player.perform(.pause)
        case .withdraw(let items, let revision):
            player.perform(.edit(.undo, expected: revision, play: false)) { result in
                guard case .failure = result else { return }
                // The queue was edited since.
                let ids = items.map { ItemID(number: $0) }
                player.perform(.edit(.remove(ids), expected: nil, play: false))
            }
        case .sound(let timer, let alarm, let stage): sound(timer, alarm, stage, id, player)
        case .soundAgain(let timer, let alarm, let stage, nil):
            sound(timer, alarm, stage, id, player, isAgain: true)
        case .soundAgain(let timer, let alarm, let stage, let target?):
            // It was given back at the end.
            player.perform(.borrowOutput(alarm.output))
            player.perform(.play(target, position: nil), reply: report(timer, alarm, stage, id, player))
        }
    }

    /// For the command that sounds this stage.
    private func report(
        _ timer: TimerID, _ alarm: Alarm, _ stage: AlarmRing.Stage, _ id: String, _ player: Player
    ) -> @Sendable (Result<PlayerSnapshot, PlaybackError>) -> Void {
        { [mailbox, wait] result in
            // What does not sound gives it back.
            if case .failure = result, alarm.output != nil { player.perform(.borrowOutput(nil)) }
            mailbox?.post(.report(id, .taken(timer, stage, result)))
            wait.ring()
        }
    }

    private func sound(
        _ timer: TimerID, _ alarm: Alarm, _ stage: AlarmRing.Stage, _ id: String, _ player: Player,
        isAgain: Bool = false
    ) {
        let report = self.report(timer, alarm, stage, id, player)
        let play = { @Sendable (drafts: [ItemDraft]?) in Self.play(drafts, alarm, player, rises: !isAgain, report) }
        switch stage {
        case .kept:
            let current = player.snapshot.item?.item.id.number
            if let current, alarm.kept?.contains(current) ?? false { return play(nil) }
            report(.failure(PlaybackError(.notFound, "The queue is another one by now.")))
        case .items where alarm.items.isEmpty: play(nil)
        case .items, .fallback:
            let fallback = TimerItem.media(ItemDraft(uri: alarm.fallback ?? AlarmTone.uri))
            board.expand(stage == .items ? alarm.items : [fallback]) { drafts in
                guard drafts.isEmpty else { return play(drafts) }
                report(.failure(PlaybackError(.notFound, "Nothing that the alarm is to play is there.")))
            }
        case .tone: play([ItemDraft(uri: AlarmTone.uri, title: "Alarm")])
        }
    }

    /// nil: the queue as it is. `rises`: to the alarm's level; else as loud as it is.
    private static func play(
        _ drafts: [ItemDraft]?, _ alarm: Alarm, _ player: Player, rises: Bool,
        _ report: @escaping @Sendable (Result<PlayerSnapshot, PlaybackError>) -> Void
    ) {
        let snapshot = player.snapshot
        var patch = SettingsPatch()
        if rises {
            patch.volume = Level.amplitude(alarm.level)
            patch.muted = false
        }
        let sound = { @Sendable in
            player.perform(.borrowOutput(alarm.output))
            // What sounds already goes on as it is.
            if rises, drafts != nil || snapshot.status != .playing { player.perform(.rise(over: alarm.ramp)) }
            if let drafts {
                player.perform(.edit(.replace(drafts, startIndex: 0), expected: nil, play: true), reply: report)
            } else {
                player.perform(.play(.current, position: nil), reply: report)
            }
        }
        guard snapshot.settings.leader != nil else {
            player.perform(.apply(patch))
            return sound()
        }
        // A follower plays by itself only once it does not follow any more.
        patch.leader = .some(nil)
        player.perform(.apply(patch)) { _ in sound() }
    }
}

extension Player {
    fileprivate func perform(_ command: PlayerCommand) { perform(command) { _ in } }
}
