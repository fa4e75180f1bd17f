// SPDX-License-Identifier: Apache-2.0

import Audio
import Testing
import Kernel

@testable import Playback

@Suite struct PlayerCoreTests {
    private func names(_ world: SimulatedWorld) -> [String] {
        world.events.compactMap { event in
            switch event {
            case .status(let status, _, _, _, _, _, _): status.rawValue
            case .completed(_, let reason): "completed:\(reason.rawValue)"
            case .item(let item): "item:\(item?.item.uri ?? "-")"
            case .queueEnded: "queue-ended"
            case .queueLow: nil
            default: nil
            }
        }
    }

    @Test func readyAndSilent_whenItemsAreAddedToAnIdlePlayer() {
        var world = SimulatedWorld.with(["a-1"], play: false)
        #expect(world.run { $0.status == .ready })
        #expect(world.sink.generation == nil)
        #expect(world.position == 0)
    }

    @Test func playsToTheEndInOrder_andGivesTheStreamBack() {
        var world = SimulatedWorld.playing(["a-1", "b-1"])
        #expect(world.run { $0.status == .completed })
        let order = names(world).filter { $0.contains("completed") || $0.hasPrefix("queue") || $0.hasPrefix("item") }
        let edges = order.filter { $0 != "item:a-1" && $0 != "item:b-1" }
        #expect(edges == ["completed:finished", "completed:finished", "queue-ended", "completed"])
        let first = order.firstIndex(of: "completed:finished") ?? 0
        #expect(order[first + 1] == "item:b-1")
        #expect(world.position == 1)
        #expect(world.sink.generation != nil)
        world.run(seconds: PlayerCore.streamGrace + 0.1)
        #expect(world.sink.generation == nil)
        #expect(world.core.nextDeadline == nil)
    }

    /// The settings have the ramp's target from its start.
    @Test func aRampIsCutShort_whenItsTargetIsSetAtOnce() throws {
        var core = PlayerCore(SavedPlayer(), now: MonotonicTime(nanoseconds: 0), seed: 1)
        let prepared = try core.prepare(.apply(.with { $0.volume = core.settings.volume }))
        #expect(prepared.saves.isEmpty)
        core.commit(prepared)
        #expect(core.actions.count == 1)
        guard case .output(.setGain(.volume(_, seconds: 0)))? = core.actions.first else {
            return #expect(Bool(false), "the output is not told: \(core.actions)")
        }
    }

    @Test func keepsItsPlace_whenPausedAndResumed() {
        var world = SimulatedWorld.playing(["a-5"])
        world.run(seconds: 1)
        world.command(.pause)
        #expect(world.run { $0.status == .paused })
        let place = world.position
        world.run(seconds: 10)
        #expect(world.position == place)
        #expect(world.core.nextDeadline == nil, "a paused player sleeps")
        world.command(.play(.current))
        #expect(world.run { $0.status == .playing })
        #expect(abs(world.position - place) < 0.05)
    }

    /// The new item ends the fade-out; a start waits for the report, which is late here.
    @Test func anItemPlayedDuringAFadeOut_doesNotFadeIn() {
        var world = SimulatedWorld.playing(["a-60", "b-60"])
        world.apply { $0[dynamicMember: \.fades.pause] = 2 }
        world.run(seconds: 1)
        world.command(.pause)
        world.run(seconds: 0.5)
        let starts = world.fadeIns.count
        (world.sink.isMute, world.sink.isFrozen) = (true, true)
        world.command(.play(.index(1)))
        world.run(seconds: 0.2)
        #expect(world.fadeIns.count == starts)
        (world.sink.isMute, world.sink.isFrozen) = (false, false)
        #expect(world.run(upTo: 0.2) { $0.fadeIns.count > starts })
        #expect(world.fadeIns.last == 0)
        #expect(world.run { $0.status == .playing && $0.core.current?.item.uri == "b-60" })
    }

    @Test func countsOnlyHeardTime_afterASeek() {
        var world = SimulatedWorld.playing(["a-60"])
        #expect(world.run(upTo: 9) { $0.position >= 8 })
        world.command(.seek(.position(20)))
        #expect(world.run { $0.status == .playing })
        world.run(seconds: 3)
        #expect(abs(world.position - 23) < 0.1)
        #expect(abs(world.core.positionClock.listenedTime(at: world.now) - 11) < 0.1)
    }

    @Test func latestSeekWins_whenSeeksComeFasterThanTheDecoder() {
        var world = SimulatedWorld.playing(["a-60"])
        for step in 1...150 {
            world.command(.seek(.position(Double(step) / 4)))
            world.run(seconds: 0.02)
        }
        #expect(world.run { $0.status == .playing })
        #expect(abs(world.position - 37.5) < 0.1)
    }

    @Test func startsAtTheTarget_whenSeekingWhileLoading() {
        var world = SimulatedWorld.with(["a-60"], play: true)
        world.command(.seek(.position(30)))
        #expect(world.run { $0.status == .playing })
        #expect(abs(world.position - 30) < 0.1)
    }

    @Test func completesOnce_afterASeekPastTheEnd() {
        var world = SimulatedWorld.playing(["a-10"])
        world.command(.seek(.offset(999)))
        #expect(world.run { $0.status == .completed })
        #expect(names(world).filter { $0 == "completed:finished" }.count == 1)
    }

    @Test func goesOnWithTheNextItem_whenOneIsMissing() {
        var world = SimulatedWorld.playing(["missing-1", "b-1"])
        #expect(world.core.current?.item.uri == "b-1")
        #expect(names(world).contains("completed:error"))
        #expect(world.core.lastError?.code == .notFound)
        world.run(seconds: 0.1)
    }

    /// It explains why the next item plays, and does not concern later items.
    @Test(arguments: [true, false]) func errorOfASkippedItem_endsWithTheItemAfterIt(isSkipped: Bool) {
        var world = SimulatedWorld.playing(["missing-1", "b-1", "c-1"])
        let error = world.core.lastError
        #expect(error?.code == .notFound && error?.itemID != nil && error?.itemID != world.core.current?.item.id)
        if isSkipped { world.command(.next) }
        #expect(world.run { $0.core.current?.item.uri == "c-1" && $0.status == .playing })
        #expect(world.core.lastError == nil)
    }

    /// Back from the third or on from the first, past what is missing. Nothing before it plays: the third starts again.
    @Test(arguments: [
        (["a-60", "missing", "c-60"], PlayerCommand.previous, "a-60", PlayerSettings.Repeat.off),
        (["missing", "missing", "c-60"], .previous, "c-60", .off),
        (["a-60", "missing", "c-60"], .previous, "a-60", .one),
        (["a-60", "missing", "c-60"], .next, "c-60", .off), (["a-60", "missing", "c-60"], .next, "c-60", .one),
    ]) func aSkip_passesItemsThatFail(
        uris: [String], skip: PlayerCommand, expected: String, repeats: PlayerSettings.Repeat
    ) {
        var world = SimulatedWorld()
        world.apply { $0.repeats = repeats }
        world.add(uris)
        let isBack = if case .previous = skip { true } else { false }
        world.command(.play(.index(isBack ? 2 : 0)))
        #expect(world.run { $0.status == .playing && $0.position > 1 })
        let mark = world.now
        world.command(skip)
        #expect(world.run { $0.status == .playing && $0.core.current?.item.uri == expected && $0.position < 1 })
        #expect(world.now.seconds(since: mark) < 2 && world.core.lastError?.code == .notFound)
    }

    @Test func fails_whenEverythingIsMissingAndRepeats() {
        var world = SimulatedWorld()
        world.apply { $0.repeats = .all }
        world.add(["missing-1", "missing-2"], play: true)
        #expect(world.run { $0.status == .failed })
    }

    /// SPEC row 108: a category that plays nothing has no stream, not even a silent one.
    @Test func givesTheStreamBack_whenTheSessionForbidsToPlay() {
        var world = SimulatedWorld.playing(["a-60"])
        world.run(seconds: 2)
        let place = world.position
        world.applyRules { $0.refusal = "Nothing is played." }
        world.run(seconds: 1)
        #expect(world.status == .paused && world.core.reason == .session)
        #expect(world.sink.generation == nil)
        #expect(world.core.nextDeadline == nil)
        world.command(.applyRules(SessionRules()))
        world.command(.play(.current))
        #expect(world.run { $0.status == .playing } && world.position >= place && world.position < place + 1)
    }

    @Test func playsTheSuccessorThatIsRightAtTheEnd_whenTheQueueIsEditedLate() {
        var world = SimulatedWorld.playing(["a-3", "b-1", "c-1"])
        #expect(world.run(upTo: 4) { $0.core.upcoming?.isFed == true })
        let second = world.core.queue[1].id
        world.command(.edit(.remove([second])))
        #expect(world.run(upTo: 4) { $0.core.current?.item.uri == "c-1" })
        #expect(!names(world).contains("item:b-1"))
    }

    @Test func doesNotRestart_whenAnEarlierItemIsRemoved() {
        var world = SimulatedWorld.playing(["a-9", "b-9"])
        world.command(.next)
        #expect(world.run { $0.status == .playing })
        world.run(seconds: 1)
        let before = world.position
        let first = world.core.queue[0].id
        world.command(.edit(.remove([first])))
        #expect(world.status == .playing)
        #expect(world.position >= before - 0.002)
        #expect(world.core.current?.item.uri == "b-9")
    }

    @Test func restartsOrGoesBack_dependingOnWhatWasHeard() {
        var world = SimulatedWorld.playing(["a-9", "b-9"])
        world.command(.next)
        #expect(world.run { $0.status == .playing })
        world.run(seconds: 4)
        world.command(.previous)
        #expect(world.run { $0.status == .playing })
        #expect(world.core.current?.item.uri == "b-9")
        #expect(world.position < 0.5)
        world.command(.previous)
        #expect(world.run { $0.status == .playing && $0.core.current?.item.uri == "a-9" })
    }

    @Test(arguments: [QueueEdit.clear, .replace([ItemDraft(uri: "c-60")], startIndex: nil)])
    func resumesItsPosition_whenItsRemovalIsUndone(edit: QueueEdit) {
        var world = SimulatedWorld.playing(["a-60", "b-60"])
        world.command(.next)
        #expect(world.run(upTo: 10) { $0.core.current?.item.uri == "b-60" && $0.position > 5 })
        world.command(.pause)
        #expect(world.run { $0.status == .paused })
        let position = world.position
        world.command(.edit(edit))
        world.run(seconds: 1)
        world.command(.edit(.undo))
        #expect(world.run { $0.status == .ready })
        #expect(world.core.current?.item.uri == "b-60" && abs(world.position - position) < 0.1)
    }

    /// Only play ends a scan with sound.
    @Test(arguments: [PlayerCommand.seek(.position(30)), .next, .previous, .endScan])
    func staysSilent_whenAScanFromPauseEnds(command: PlayerCommand) {
        var world = SimulatedWorld.playing(["a-60", "b-60"])
        world.command(.pause)
        #expect(world.run { $0.status == .paused })
        world.command(.scan(rate: 2))
        #expect(world.run { $0.status == .playing })
        world.command(command)
        let isNext = if case .next = command { true } else { false }
        #expect(world.run(upTo: 2) { $0.status == (isNext ? .ready : .paused) })
        world.run(seconds: 2)
        #expect(!world.core.goal.wantsSound)
    }

    @Test func reportsEachRoundOfALoop_whenItIsHeard() {
        var world = SimulatedWorld()
        world.command(.edit(.insert([ItemDraft(uri: "a-3", loops: 2)], at: .end), play: true))
        #expect(world.run { $0.position > 2.5 })
        let before = world.core.discontinuity
        #expect(world.run(upTo: 1) { $0.core.discontinuity > before })
        #expect(world.position < 0.05)
        world.run(seconds: 0.4)
        #expect(abs(world.position - 0.4) < 0.05)
        #expect(world.run(upTo: 7) { $0.status == .completed })
    }

    @Test func repeatsAsOftenAsSet_whenLoopsChangeDuringPlayback() {
        var world = SimulatedWorld()
        world.command(.edit(.insert([ItemDraft(uri: "a-1", loops: -1), ItemDraft(uri: "b-60")], at: .end), play: true))
        #expect(world.run { $0.status == .playing })
        var once = ItemPatch()
        once.loops = 0
        world.command(.edit(.update(world.core.queue[0].id, once)))
        #expect(world.run(upTo: 2) { $0.core.queue.current?.uri == "b-60" })

        world = SimulatedWorld.playing(["a-1", "b-60"])
        var often = ItemPatch()
        often.loops = -1
        world.command(.edit(.update(world.core.queue[0].id, often)))
        world.run(seconds: 10)
        #expect(world.core.queue.current?.uri == "a-1")
    }

    /// The queue continues with the next command; it ends only with its last item.
    @Test func theQueueHasNotEnded_whenItemsAreLeft() {
        for repeats in [PlayerSettings.Repeat.one, .off] {
            var world = SimulatedWorld.with(["missing-1", "b-1"], play: false)
            world.apply { ($0.repeats, $0.stopAfterCurrent) = (repeats, repeats == .off) }
            world.command(.play(.index(0)))
            #expect(world.run { $0.status == .failed })
            #expect(!names(world).contains("queue-ended"))
        }
        var last = SimulatedWorld.playing(["a-1"])
        last.apply { $0.stopAfterCurrent = true }
        #expect(last.run { $0.status == .stopped })
        #expect(names(last).contains("queue-ended"))
    }

    /// The item that waits is reported when it is edited or leaves.
    @Test func stopsAfterTheItem_whenSet() throws {
        var world = SimulatedWorld.playing(["a-1", "b-1"])
        world.apply { $0.stopAfterCurrent = true }
        #expect(world.run { $0.status == .stopped })
        #expect(world.core.reason == .stopAfterCurrent)
        #expect(world.core.queue.current?.uri == "b-1")
        #expect(!world.core.settings.stopAfterCurrent)
        var patch = ItemPatch()
        patch.title = "Titled"
        let reported = names(world).count
        world.command(.edit(.update(try #require(world.core.queue.currentID), patch), expected: nil, play: false))
        #expect(names(world).dropFirst(reported) == ["item:b-1"])
        world.command(.edit(.insert(["c-1"].map { ItemDraft(uri: $0) }, at: .end), expected: nil, play: false))
        world.command(.edit(.clear, expected: nil, play: false))
        #expect(names(world).dropFirst(reported) == ["item:b-1", "item:-", "idle"])
    }

    @Test func aPauseThatTheUserEnds_keepsItsReasonUntilTheSoundComes() {
        var world = SimulatedWorld.playing(["a-60"])
        world.run(seconds: 1)
        world.command(.pause)
        #expect(world.run { $0.status == .paused && !$0.sink.isStarted })
        world.command(.play(.current))
        #expect(world.status == .paused && world.core.reason == .user)
        #expect(world.run { $0.status == .playing } && world.core.reason == nil)
    }

    /// SPEC row 151.
    @Test func anItemThatWaitsAtItsStart_beginsAtItsNewOne() throws {
        var world = SimulatedWorld.with(["a-60"], play: false)
        #expect(world.run { $0.status == .ready })
        var patch = ItemPatch()
        patch.beginTime = 7
        world.command(.edit(.update(try #require(world.core.queue.currentID), patch), expected: nil, play: false))
        #expect(world.run { $0.status == .ready } && world.position == 7)
        world.command(.play(.current))
        #expect(world.run { $0.status == .playing } && world.position >= 7 && world.position < 8)
    }

    /// The output knows how far it got: a pause halts it.
    @Test func aVolumeRampContinues_whenMuteOrBalanceChanges() {
        var world = SimulatedWorld.playing(["a-60"])
        world.apply { ($0.volumeRamp, $0.muted) = (SettingsPatch.VolumeRamp(to: 0, seconds: 10), true) }
        let ramp = world.volumes.count
        #expect(world.volumes.last?.seconds == 10 && world.balances.last == .silence)
        world.apply { ($0.muted, $0.balance) = (false, 0.5) }
        #expect(world.volumes.count == ramp && world.balances.last == ChannelGains(left: 0.5, right: 1, other: 1))
    }

    @Test func aVolumeRampIsOverAtOnce_atRest() {
        var world = SimulatedWorld()
        world.apply { $0.volumeRamp = SettingsPatch.VolumeRamp(to: 0.1, seconds: 10) }
        #expect(world.volumes.last?.seconds == 0)
    }

    @Test func fails_whenTheMediaNeverOpens() {
        var world = SimulatedWorld.with(["never-1"], play: true)
        #expect(world.status == .loading)
        world.run(seconds: PlayerCore.openingLimit + 1)
        #expect(world.status == .failed)
        #expect(world.core.lastError?.code == .timedOut)
    }

    @Test func repeatsOneWithoutEnd_untilNext() {
        var world = SimulatedWorld()
        world.apply { $0.repeats = .one }
        world.add(["a-1", "b-1"], play: true)
        world.run(seconds: 4)
        #expect(world.core.current?.item.uri == "a-1")
        #expect(names(world).filter { $0 == "completed:finished" }.count >= 3)
        world.command(.next)
        #expect(world.run { $0.core.current?.item.uri == "b-1" })
    }

    @Test func failureIsTheReplyToPlay_andToNoOtherCommand() {
        var world = SimulatedWorld()
        let edit = world.add(["missing-1"], play: true)
        #expect(world.run { $0.status == .failed })
        let play = world.command(.play(.current))
        #expect(world.run { $0.replies[play] != nil })
        let settings = world.apply { $0.volume = 0.5 }
        #expect(world.failure(play) != nil)
        for token in [edit, settings] { #expect(world.replies[token] != nil && world.failure(token) == nil) }
    }
}
