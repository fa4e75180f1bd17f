// SPDX-License-Identifier: Apache-2.0

import Kernel
import KernelTesting
import Playback
import PlaybackTesting
import Testing

@testable import Service

/// A real player with an item in its queue, and an alarm of another item that is due.
@Suite struct AlarmSoundTests {
    private let disk: ScriptedDisk
    private let rig: HostRig
    private let media = HangingMediaAccess()
    private let server: ServerService
    private let id = TimerID(number: 1)

    init() throws {
        var alarm = Alarm(Recurrence(seconds: 0, days: []))
        alarm.items = [.media(ItemDraft(uri: "0"))]
        var book = TimerBook()
        book.timers = [PlayerTimer(id: id, kind: .alarm(alarm), next: 1_700_000_001_000)]
        var saved = SavedPlayer()
        saved.items = [QueueItem(id: ItemID(number: 1), draft: ItemDraft(uri: "1"))]
        saved.nextItemNumber = 2
        saved.notes["timers"] = TimerNote.text(book)
        disk = ScriptedDisk(["main": saved])
        rig = try HostRig(["kitchen"], on: disk)
        server = ServerService(ServerService.Parts(media: media))
    }

    private var uris: [String] { rig["main"].queueWindow(offset: 0, limit: 10).items.map(\.uri) }
    private var result: Alarm.Outcome.Result? { rig.timers.timers(of: "main").first?.alarm?.last?.result }
    private var output: CapturingOutput { get throws { try #require(rig.outputs["main"]) } }

    private func hear(until condition: () -> Bool) throws -> Bool {
        let output = try output
        return eventually {
            output.play(4_410)
            return condition()
        }
    }

    /// Returns when the alarm's items are being resolved.
    private func ring() {
        rig.timers.begin(server)
        media.waiting.answer()
    }

    /// Returns when the timers and the player have handled all earlier messages.
    private func edit(_ edit: TimerEdit) {
        let answer = Mailbox<Void>()
        rig.timers.perform(edit, of: "main") { _ in answer.post(()) }
        answer.answer()
        _ = rig.perform(.apply(SettingsPatch()), on: "main")
    }

    /// Resolves the items, and returns when they have had their effect.
    private func resolve() {
        media.gate.post(())
        // These jobs need all threads of the worker, among them the one that resolves the items.
        let (begun, end) = (Mailbox<Void>(), Mailbox<Void>())
        for _ in 0..<4 {
            let isTaken = server.mediaWorker.submit {
                begun.post(())
                _ = end.take(until: nil)
                end.post(())
            }
            #expect(isTaken)
        }
        #expect(begun.take(4).count == 4)
        end.post(())
        edit(.remove(TimerID(number: 9)))
    }

    @Test(arguments: [TimerEdit.remove(TimerID(number: 1)), .snooze(TimerID(number: 1), seconds: 600)])
    func itemsOfAnEndedAlarm_areNotPlayed(edit: TimerEdit) {
        ring()
        self.edit(edit)
        resolve()
        #expect(uris == ["1"] && !rig["main"].snapshot.playWhenReady)
    }

    @Test func lateItems_doNotReplaceTheTone() throws {
        ring()
        rig.clock.advance(seconds: 10)
        #expect(eventually { uris == [AlarmTone.uri] })
        resolve()
        #expect(uris == [AlarmTone.uri])
        #expect(try hear { result != nil } && result == .tone)
    }

    /// Its edit of the queue takes effect unsaved, unless its outcome is open. A player that is muted, and plays or not.
    @Test(arguments: [ScriptedDisk.Answer.refused, .hangs], [false, true])
    func anAlarmSounds_withoutASave(answer: ScriptedDisk.Answer, plays: Bool) throws {
        if plays {
            rig["main"].perform(.play(.current)) { _ in }
            #expect(try hear { rig["main"].snapshot.status == .playing })
        }
        _ = rig.apply(to: "main") { $0.muted = true }
        disk.answers { _ in answer }
        media.gate.post(())
        ring()
        let output = try output
        let isHeard = try hear {
            if answer == .hangs { rig.clock.advance(seconds: 0.1) }
            return result != nil && rig["main"].snapshot.status == .playing && output.timerGain == 1
        }
        #expect(isHeard && result == (answer == .hangs ? .tone : .played) && !rig["main"].snapshot.settings.muted)
        #expect(uris == [answer == .hangs ? "1" : "0"])
    }

    @Test(arguments: [ScriptedDisk.Answer.refused, .hangs])
    func anAlarmIsSnoozed_evenIfThatCannotBeSaved(answer: ScriptedDisk.Answer) throws {
        media.gate.post(())
        ring()
        #expect(try hear { result == .played })
        disk.answers { _ in answer }
        let answers = Mailbox<Result<PlayerTimer?, Problem>>()
        rig.timers.perform(.snooze(id, seconds: 600), of: "main") { answers.post($0) }
        #expect(try hear { rig["main"].snapshot.status == .paused })
        // The save may begin after the pause, so that one step of the clock may come too early.
        var snoozed: [Result<PlayerTimer?, Problem>] = []
        #expect(
            eventually {
                rig.clock.advance(seconds: 1)
                snoozed += answers.take(until: .now)
                return !snoozed.isEmpty
            })
        #expect(try snoozed.first?.get()?.alarm?.state == .snoozed)
    }

    /// The snooze is received while the new time is saved.
    @Test func theAnswerToASnooze_isTheTimer_afterAnEarlierEdit() throws {
        media.gate.post(())
        ring()
        #expect(try hear { result == .played })
        let answers = Mailbox<Result<PlayerTimer?, Problem>>()
        let first = Mailbox<Void>()
        first.post(())
        disk.answers { [rig, id] save in
            if case .note("timers", _)? = save.changes.first, !first.take(until: .now).isEmpty {
                rig.timers.perform(.snooze(id, seconds: 600), of: "main") { answers.post($0) }
            }
            return .kept
        }
        var patch = TimerPatch()
        patch.seconds = 3_600
        rig.timers.perform(.change(id, patch), of: "main") { _ in }
        #expect(try answers.answer().get()?.alarm?.state == .waiting)
    }

    @Test(arguments: [false, true])
    func anAlarmIsSilent_evenIfItsRemovalCannotBeSaved(isRemoved: Bool) throws {
        media.gate.post(())
        ring()
        #expect(try hear { result == .played })
        disk.answers { _ in .refused }
        var off = TimerPatch()
        off.isEnabled = false
        let answers = Mailbox<Result<PlayerTimer?, Problem>>()
        rig.timers.perform(isRemoved ? .remove(id) : .change(id, off), of: "main") { answers.post($0) }
        #expect(throws: Problem.self) { try answers.answer().get() }
        #expect(try hear { rig["main"].snapshot.status == .paused })
        #expect(rig.timers.timers(of: "main").first?.alarm?.state == .waiting)
    }

    @Test func anAlarmRings_ifTheEditThatTurnsItOffIsRefused() throws {
        media.gate.post(())
        ring()
        #expect(try hear { result == .played })
        var off = TimerPatch()
        (off.isEnabled, off.timeZone) = (false, "Nowhere/None")
        let answers = Mailbox<Result<PlayerTimer?, Problem>>()
        rig.timers.perform(.change(id, off), of: "main") { answers.post($0) }
        #expect(throws: Problem.self) { try answers.answer().get() }
        #expect(rig.timers.timers(of: "main").first?.alarm?.state == .ringing)
    }

    @Test func theResultOfAnAlarmOnAFullDisk_isSaved_onceThereIsRoom() throws {
        disk.answers { _ in .refused }
        media.gate.post(())
        ring()
        #expect(try hear { result == .played })
        let saved = Mailbox<String>()
        disk.answers { save in
            if case .note("timers", let text)? = save.changes.first { saved.post(text) }
            return .kept
        }
        // Less than the alarm rings: its end would be saved anyway.
        var seconds = 0
        #expect(
            eventually {
                if seconds < 60 { rig.clock.advance(seconds: 1) }
                seconds += 1
                return saved.take(until: .now).contains { $0.contains("\"played\"") }
            })
    }

    @Test func onAFullDisk_aFollowerLeavesItsGroup() throws {
        _ = rig.perform(.edit(.replace(rig.items(1), startIndex: 0)), on: "kitchen")
        #expect(rig.follow("main", "kitchen") != nil)
        disk.answers { _ in .refused }
        media.gate.post(())
        ring()
        #expect(try hear { result != nil } && result == .played)
        #expect(try hear { rig["main"].snapshot.status == .playing } && rig["main"].snapshot.settings.leader == nil)
    }

    @Test func otherMusicOfAClient_endsTheAlarm_beforeItsItemsCome() throws {
        ring()
        rig["main"].perform(.edit(.replace([ItemDraft(uri: "2")], startIndex: 0), play: true)) { _ in }
        #expect(try hear { rig["main"].snapshot.status == .playing })
        resolve()
        #expect(uris == ["2"] && result == .failed)
    }

    /// Paused by a client before or after the alarm is due.
    @Test(arguments: [false, true])
    func aPauseOfAClient_endsTheAlarm_onlyOnceItIsDue(isDue: Bool) throws {
        rig["main"].perform(.play(.current)) { _ in }
        #expect(try hear { rig["main"].snapshot.status == .playing })
        if isDue { ring() }
        rig["main"].perform(.pause) { _ in }
        #expect(eventually { !rig["main"].snapshot.playWhenReady })
        if !isDue { ring() }
        #expect(try hear { rig["main"].snapshot.status == .paused })
        resolve()
        #expect(uris == [isDue ? "1" : "0"] && rig["main"].snapshot.playWhenReady != isDue)
    }

    /// The next `play` sounds as always.
    @Test func aRefusedAlarm_leavesNoRise() throws {
        try output.send(.availability(.unavailable("no server")))
        #expect(eventually { rig["main"].snapshot.output.availability != .available })
        media.gate.post(())
        ring()
        #expect(
            eventually {
                rig.clock.advance(seconds: 1)
                return result == .failed
            })
        edit(.remove(TimerID(number: 9)))
        #expect(try output.timerGain == 1)
    }
}
