// SPDX-License-Identifier: Apache-2.0

internal import Kernel
internal import Playback

/// The loop of `Timers`: applies edits, performs due actions, saves and publishes. Lives on the thread of `Timers`.
final class TimersLoop {
    enum Message: Sendable {
        case restore(String, TimerBook)
        case forget(String)
        case edit(String, TimerEdit, Timers.Reply)
        /// With the number of the edit; nil for a change that did not wait for the disk.
        case saved(String, UInt64?, failure: SaveFailure?)
        case report(String, TimerReport)
        /// This stage of an alarm can be played, with these items.
        case prepared(String, AlarmSound, [ItemDraft]?)
        /// The first player's timers that concern its group pass to the second, the leader.
        case group(of: String, to: String)
        case end

        func refuse(_ problem: Problem) {
            if case .edit(_, _, let reply) = self { reply(.failure(problem)) }
        }
    }

    static let goingDown = Problem.busy("The server is going down.")
    /// In milliseconds. A larger difference between the wall clock and the monotonic clock means that the wall clock was
    /// set.
    private static let tolerance: Int64 = 100
    /// Seconds until a failed save is repeated.
    private static let pause = 1.0

    private struct Member {
        var book: TimerBook
        /// As last passed to the store; nil if that failed and is due again.
        var saved: [PlayerTimer]? = []
        var retryAt: MonotonicTime?
        var edits = PendingChanges<TimerEdit, (edit: TimerEdit, since: TimerMoment), PlayerTimer?>(
            refusal: "The timers cannot be saved")
    }

    private let clock: any PlayerClock
    private let wait: WallClockWait
    private let mailbox: Mailbox<Message>
    private let board: TimerBoard
    private var members: [String: Member] = [:]
    /// All timers of all players have lower numbers.
    private var nextNumber: UInt64 = 1
    /// The wall clock when the monotonic clock is 0, in milliseconds.
    private var offset: Int64

    init(_ clock: any PlayerClock, _ wait: WallClockWait, _ mailbox: Mailbox<Message>, _ board: TimerBoard) {
        (self.clock, self.wait, self.mailbox, self.board) = (clock, wait, mailbox, board)
        offset = clock.wallMilliseconds - clock.now.nanoseconds / 1_000_000
    }

    func run() {
        while true {
            for message in mailbox.take() {
                if case .end = message { return end() }
                receive(message)
            }
            let moment = self.moment
            for id in members.keys {
                members[id]?.edits.giveUp(at: moment.monotonic)
                guard let retryAt = members[id]?.retryAt, retryAt <= moment.monotonic else { continue }
                members[id]?.retryAt = nil
                members[id]?.saved = nil
            }
            let jump = moment.wall - moment.monotonic.nanoseconds / 1_000_000 - offset
            let isSet = abs(jump) > Self.tolerance
            if isSet { offset += jump }
            for id in members.keys {
                act(id) { isSet ? $0.clockWasSet(by: jump, moment) : $0.advance(moment) }
            }
            let due = members.values.map(\.book.due)
            let others = members.values.flatMap { [$0.edits.deadline, $0.retryAt] }
            wait.wait(
                for: mailbox.descriptor, untilWall: due.compactMap(\.wall).min(),
                until: (due.map(\.monotonic) + others).compactMap(\.self).min())
        }
    }

    private var moment: TimerMoment { TimerMoment(wall: clock.wallMilliseconds, monotonic: clock.now) }

    private func receive(_ message: Message) {
        switch message {
        case .restore(let id, let book):
            members[id] = Member(book: book, saved: book.timers)
            act(id) { $0.resume(moment) }
        case .forget(let id):
            members[id]?.edits.refuseAll(.unknownTimer(id))
            members[id] = nil
            board.publish(id, nil)
        case .edit(let id, let edit, let reply):
            if members[id] == nil { members[id] = Member(book: savedBook(of: id)) }
            accept(edit, id, reply)
            beginEdit(id)
        case .saved(let id, let number, let failure):
            // Of a player that was removed, nothing is left to save.
            if failure != nil, board.value.players[id] != nil {
                members[id]?.retryAt = clock.now.advanced(bySeconds: Self.pause)
            }
            guard let number else { return }
            if let edit = members[id]?.edits.saved(number, failure) { edit.reply(apply(edit.change, id)) }
            beginEdit(id)
        case .report(let id, let report): act(id) { $0.report(report, moment) }
        case .prepared(let id, let sound, let drafts):
            guard members[id]?.book.awaits(sound.timer, sound.stage) == true else { return }
            members[id]?.book.ring?.found = nil
            sound.play(drafts)
        case .group(let id, let leader): passOn(id, to: leader)
        case .end: return
        }
    }

    /// The saved timers of a player that could not be restored earlier, for lack of a thread.
    private func savedBook(of id: String) -> TimerBook {
        let note = board.value.players[id].flatMap { TimerNote.text(in: $0.state.notes) }
        return note.map(TimerNote.book) ?? TimerBook()
    }

    private func passOn(_ id: String, to leader: String) {
        guard board.value.players[leader] != nil else { return }
        var moved: [PlayerTimer] = []
        act(id) { book in
            moved = book.timers.filter(\.concernsGroup)
            book.timers.removeAll(where: \.concernsGroup)
            return []
        }
        guard !moved.isEmpty else { return }
        if members[leader] == nil { members[leader] = Member(book: savedBook(of: leader)) }
        act(leader) { $0.take(moved, moment) }
    }

    private func end() {
        for id in members.keys { members[id]?.edits.refuseAll(Self.goingDown) }
    }

    // MARK: Edits

    /// A ringing alarm falls silent at once, even if that cannot be saved. The answer waits for the save. A snooze that cannot be saved
    /// stands, and is saved later.
    private func accept(_ edit: TimerEdit, _ id: String, _ reply: @escaping Timers.Reply) {
        guard case .snooze(let timer, _) = edit else {
            if let timer = edit.silenced, isValid(edit, id) { act(id) { $0.endRing(of: timer) } }
            members[id]?.edits.add(edit, reply)
            return
        }
        let snoozed = apply((edit, moment), id)
        guard case .success = snoozed else { return reply(snoozed) }
        members[id]?.edits.add(.change(timer, TimerPatch())) { saved in
            // An edit that was received before may have ended the snooze.
            if case .success = saved { reply(saved) } else { reply(snoozed) }
        }
    }

    private func isValid(_ edit: TimerEdit, _ id: String) -> Bool {
        var book = members[id]?.book
        do throws(Problem) {
            return try book?.apply(edit, moment) != nil
        } catch {
            return false
        }
    }

    /// Ids are unique among all players, because a follower shows its leader's timers beside its own.
    private func reserveNumber(for id: String) {
        let first = max(nextNumber, members.values.map(\.book.nextNumber).max() ?? 1)
        // Two, because another edit may be being saved.
        nextNumber = first + 2
        members[id]?.book.nextNumber = first
    }

    /// Saves the next edit.
    private func beginEdit(_ id: String) {
        while let (edit, reply) = members[id]?.edits.next() {
            if case .add = edit { reserveNumber(for: id) }
            guard var proposed = members[id]?.book else { return }
            do throws(Problem) {
                let moment = moment
                _ = try proposed.apply(edit, moment)
                guard let number = members[id]?.edits.begin((edit, moment), reply, at: moment.monotonic) else { return }
                save(id, proposed, edit: number)
            } catch {
                reply(.failure(error))
            }
        }
    }

    /// Applies an edit that is saved, or does not wait for that.
    private func apply(
        _ change: (edit: TimerEdit, since: TimerMoment), _ id: String
    ) -> Result<PlayerTimer?, Problem> {
        var result: Result<TimerID, Problem> = .failure(Self.goingDown)
        act(id) { book in
            do throws(Problem) {
                let (timer, effects) = try book.apply(change.edit, change.since)
                result = .success(timer)
                return effects
            } catch {
                // The alarm went off during the save.
                result = .failure(error)
                return []
            }
        }
        let timers = members[id]?.book.timers ?? []
        if let leader = player(id)?.snapshot.settings.leader { passOn(id, to: leader) }
        return result.map { timer in timers.first { $0.id == timer } }
    }

    private func save(_ id: String, _ book: TimerBook, edit number: UInt64? = nil) {
        members[id]?.saved = book.timers
        let done: @Sendable (SaveFailure?) -> Void = { [mailbox] failure in
            if number != nil || failure != nil { mailbox.post(.saved(id, number, failure: failure)) }
        }
        guard let player = board.value.players[id] else { return done(SaveFailure("the player was removed")) }
        player.state.store.save([TimerNote.change(book)], completion: done)
    }

    // MARK: Actions

    private func player(_ id: String) -> Player? { board.value.players[id]?.player }

    /// Changes the book, saves and publishes it, and performs the resulting effects.
    private func act(_ id: String, _ change: (inout TimerBook) -> [TimerBook.Effect]) {
        guard var book = members[id]?.book else { return }
        let rang = book.ring?.id
        let effects = change(&book)
        members[id]?.book = book
        // An alarm goes off and is snoozed even if that cannot be saved. This also overwrites a refused edit.
        if let member = members[id], member.edits.isIdle, book.timers != member.saved { save(id, book) }
        board.publish(id, book.timers)
        for effect in effects { perform(effect, id) }
        // A rise ends with its alarm: after the pause, so that the sound does not become loud before it ends.
        if let rang, book.ring?.id != rang { player(id)?.perform(.rise(over: nil)) }
    }

    private func perform(_ effect: TimerBook.Effect, _ id: String) {
        guard let player = player(id) else { return }
        switch effect {
        case .sleep(let plan): player.perform(.sleep(plan))
        case .start(let start, let time):
            let target = start.item.map { PlayTarget.item($0) } ?? .current
            player.perform(.start(target, position: start.position, at: time))
        case .cancelStart: player.perform(.cancelStart)
        case .silence: player.perform(.pause)
        case .withdraw(let items, let revision):
            player.perform(.edit(.undo, expected: revision), origin: .alarm) { result in
                guard case .failure = result else { return }
                // The queue has been edited since.
                let ids = items.map { ItemID(number: $0) }
                player.perform(.edit(.remove(ids)), origin: .alarm) { _ in }
            }
        case .sound(let timer, let alarm, let stage):
            members[id]?.book.ringFinds(player.snapshot)
            sound(timer, alarm, stage, rises: true, id, player).prepare()
        case .soundAgain(let timer, let alarm, let stage, nil): sound(timer, alarm, stage, id, player).prepare()
        case .soundAgain(let timer, let alarm, let stage, let target?):
            sound(timer, alarm, stage, id, player).repeatItems(from: target)
        }
    }

    private func sound(
        _ timer: TimerID, _ alarm: Alarm, _ stage: AlarmRing.Stage, rises: Bool = false, _ id: String, _ player: Player
    ) -> AlarmSound {
        AlarmSound(
            timer: timer, alarm: alarm, stage: stage, rises: rises, player: player, server: board.value.server
        ) { [mailbox] in
            mailbox.post(.prepared(id, $0, $1))
        } taken: { [mailbox] in
            mailbox.post(.report(id, .taken(timer, stage, $0)))
        }
    }
}
