// SPDX-License-Identifier: Apache-2.0

import Audio
import Playback
import PlaybackTesting
import Synchronization
import Testing
import Kernel
import KernelTesting

@Suite(.timeLimit(.minutes(10))) struct PlayerTests {
    @Test func speedIsRefused_whereNothingCanStretch_andTheFileIsAsItWas() throws {
        let rig = PlayerRig(["a": .init(frames: 30_000)])
        for patch in [SettingsPatch.with { $0.playbackRate = 2 }, .with { $0.pitch = -100 }] {
            #expect(rig.perform(.apply(patch)).failure?.code == .libraryMissing, "it is accepted")
        }
        let neutral = rig.perform(.apply(.with { $0.playbackRate = 1 }))
        #expect(try neutral.get().settings.playbackRate == 1)
        #expect(rig.sound(of: ["a"]) == (0..<30_000).map(Float.init))
    }

    /// Rounds of 0.1 s and less are written several at a time.
    @Test(arguments: [(FrameCount(44_100), 2), (4_410, 2), (1_000, 9), (1, 9_999)])
    func roundsAreExact_whenAnItemLoops(_ frames: FrameCount, _ loops: Int) {
        let rig = PlayerRig(["a": .init(frames: frames, base: 7)])
        rig.send(.edit(.insert([ItemDraft(uri: "a", loops: loops)], at: .end), play: true))
        #expect(rig.play { $0.player.snapshot.status == .completed })
        #expect(rig.output.captured == (0...loops).flatMap { _ in (0..<frames).map { Float($0 + 7) } })
    }

    @Test(arguments: [0.6, 0.7])
    func twentyRoundsAreExact_whenAPartIsRepeated(until end: Double) throws {
        let rig = PlayerRig(["a": .init(frames: 88_200), "b": .init(frames: 100, base: 200_000)])
        rig.add(["a", "b"], play: true)
        #expect(rig.play { $0.output.captured.count >= 1_000 })
        var patch = SettingsPatch()
        patch.abLoop = ABLoop(begin: 0.5, end: end)
        #expect(try rig.perform(.apply(patch)).get().settings.abLoop == ABLoop(begin: 0.5, end: end))
        #expect(rig.wait { $0.output.splices + $0.output.flushes > 0 })
        let part = (22_050..<Int((end * 44_100).rounded())).map(Float.init)
        #expect(rig.play { $0.output.captured.count > 24_000 + 21 * part.count })
        let heard = rig.output.captured
        let first = try #require(heard.firstIndex(of: 22_050))
        #expect(heard[first...].prefix(20 * part.count).elementsEqual((0..<20).flatMap { _ in part }))
        #expect(!rig.received.contains { if case .completed = $0.kind { true } else { false } })
        patch.abLoop = .some(nil)
        rig.perform(.apply(patch))
        #expect(rig.play { $0.player.snapshot.status == .completed })
        let rest = (26_460..<88_200).map(Float.init) + (0..<100).map { Float($0 + 200_000) }
        #expect(rig.output.captured.suffix(rest.count).elementsEqual(rest))
    }

    @Test func nothingIsLostOrRepeated_whenPausedAndResumed() {
        let rig = PlayerRig(["a": .init(frames: 44_100)])
        rig.add(["a"], play: true)
        #expect(rig.play { $0.output.captured.count >= 10_000 })
        let paused = rig.perform(.pause)
        #expect((try? paused.get())?.status == .paused)
        rig.send(.play(.current))
        #expect(rig.play { $0.player.snapshot.status == .completed })
        #expect(rig.output.captured == (0..<44_100).map(Float.init))
    }

    @Test func nextFrameHeardIsTheTarget_afterASeek() {
        let rig = PlayerRig(["a": .init(frames: 441_000)])
        rig.add(["a"], play: true)
        #expect(rig.play { $0.output.captured.count >= 10_000 })
        rig.send(.seek(.position(5)))
        #expect(rig.play { $0.output.captured.contains(222_000) })
        let after = rig.output.captured
        let jump = after.indices.dropFirst().first { after[$0] != after[$0 - 1] + 1 }
        #expect(jump.map { after[$0] } == 220_500)
    }

    @Test func startsAtBeginTime_withoutASampleOfTheBeginning() {
        let rig = PlayerRig(["a": .init(frames: 441_000)])
        rig.send(.edit(.insert([ItemDraft(uri: "a", beginTime: 3)], at: .end), play: true))
        #expect(rig.play { $0.output.captured.count > 100 })
        #expect(rig.output.captured.first == 132_300)
    }

    /// The seek waits for a decoder that fails to open.
    @Test func failureIsReported_afterASeekWhileOpening() {
        let broken = ScriptedOpener.Script(
            frames: 0, openError: MediaError(.unsupported, "This is no music."), isHeld: true)
        let rig = PlayerRig(["a": broken])
        rig.add(["a"], play: true)
        rig.send(.seek(.position(1)))
        #expect(rig.wait { $0.player.snapshot.status == .loading || $0.player.snapshot.status == .seeking })
        rig.opener.release("a")
        #expect(rig.wait { $0.player.snapshot.status == .failed })
        #expect(rig.player.snapshot.error?.code == .unsupported)
    }

    /// Its server sends nothing any more.
    @Test func theTailIsHeard_whenAStalledItemIsStopped() throws {
        let rig = PlayerRig(["a": .init(frames: 441_000, stall: 30_000)])
        var effects = EffectsPatch()
        effects.set(\.isEnabled, true)
        effects.set(\.reverb.isEnabled, true)
        effects.set(\.reverb.decay, 0.2)
        #expect(throws: Never.self) { try rig.perform(.changeEffects(.merge(effects))).get() }
        rig.add(["a"], play: true)
        #expect(rig.play { $0.output.captured.count >= 20_000 })
        rig.send(.stop(drain: true))
        let isWritten = eventually(within: 20) {
            (try? rig.perform(.apply(SettingsPatch())).get())?.statistics.bufferedAhead ?? 0 > 0.35
        }
        #expect(isWritten)
        #expect(rig.play { $0.player.snapshot.status == .stopped })
        let (heard, written) = (rig.output.captured, 30_000)
        #expect(heard.count == written + 8_820 && heard[written...].allSatisfy { $0 == 0 })
        // The music ends in a fade of 10 ms.
        #expect(heard[..<(written - 441)].elementsEqual((0..<(written - 441)).map(Float.init)))
        #expect(zip(heard, heard.dropFirst()).allSatisfy { abs($0 - $1) < 110 })
    }

    @Test func nothingOfTheOldItemIsHeard_afterNext() {
        let rig = PlayerRig(["a": .init(frames: 441_000), "b": .init(frames: 5_000, base: 1_000_000)])
        rig.add(["a", "b"], play: true)
        #expect(rig.play { $0.output.captured.count >= 5_000 })
        let heard = rig.output.captured.count
        rig.send(.next)
        #expect(rig.play { $0.player.snapshot.status == .completed })
        let rest = Array(rig.output.captured.dropFirst(heard).drop { $0 < 1_000_000 })
        #expect(rest == (0..<5_000).map { Float($0 + 1_000_000) })
    }

    @Test func playsTheDecodedFrames_whenTheFileBreaks() {
        let broken = ScriptedOpener.Script(
            frames: 44_100, failure: (10_000, MediaError(.unreadable, "The file was cut off.")))
        let rig = PlayerRig(["a": broken, "b": .init(frames: 3_000, base: 100_000)])
        let expected = (0..<10_000).map(Float.init) + (0..<3_000).map { Float($0 + 100_000) }
        #expect(rig.sound(of: ["a", "b"]) == expected)
        #expect(rig.player.snapshot.error?.code == .unreadable)
    }

    @Test(arguments: [512, 1_000, 4_608, 65_536], [2, 3, 20, 64])
    func soundsTheSame_forAnyBuffering(frames: Int, count: Int) {
        let buffering = DecodeBuffering(frames: frames, count: count)
        let rig = PlayerRig(
            ["a": .init(frames: 30_000), "b": .init(frames: 20_000, base: 100_000)], buffering: buffering)
        rig.add(["a", "b"], play: true)
        var most = 0
        #expect(
            rig.play { rig in
                most = max(most, rig.output.unread)
                return rig.player.snapshot.status == .completed
            })
        let expected: [Float] = (0..<30_000).map(Float.init) + (100_000..<120_000).map(Float.init)
        #expect(rig.output.captured == expected)
        #expect(most <= min(88_200, max(4_410, frames * count)), "no more than that was decoded ahead")
        #expect(rig.player.snapshot.statistics.itemsStarted == 2)
    }

    /// SPEC row 93: the buffer size changes during playback, inaudibly.
    @Test func soundsTheSame_whenTheBufferChanges() {
        let rig = PlayerRig(["a": .init(frames: 300_000), "b": .init(frames: 20_000, base: 400_000)])
        rig.add(["a", "b"], play: true)
        for (seconds, frames) in [(0.2, 8_820), (1.5, 66_150), (0.1, 4_410), (0, 88_200)] {
            rig.perform(.apply(.with { $0.decodeAhead = seconds }))
            #expect(rig.player.snapshot.settings.decodeAhead == seconds)
            #expect(rig.play { $0.output.unread <= frames })
            let heard = rig.output.captured.count
            var most = 0
            #expect(
                rig.play { rig in
                    most = max(most, rig.output.unread)
                    return rig.output.captured.count >= heard + 15_000
                })
            #expect(most <= frames, "\(seconds) s")
            #expect(rig.play { $0.output.unread > frames / 3 })
        }
        #expect(rig.play { $0.player.snapshot.status == .completed })
        #expect(rig.output.captured == (0..<300_000).map(Float.init) + (400_000..<420_000).map { Float($0) })
    }

    /// ITU-R BS.775-3, annex 4, table 2, as far as the left ear hears it: left, centre and left surround.
    @Test func surroundIsFolded_whenTheSinkIsStereo() {
        let layout = ChannelLayout(
            positions: [.frontLeft, .frontRight, .frontCenter, .lowFrequency, .rearLeft, .rearRight])
        let format = AudioFormat(sampleRate: 44_100, layout: layout)
        let rig = PlayerRig(["a": .init(frames: 5_000, format: format)])
        let heard = rig.sound(of: ["a"])
        // All channels have the same samples: the fold keeps their level.
        #expect(heard.count == 5_000)
        let worst = heard.enumerated().reduce(Float(0)) { max($0, abs($1.element - Float($1.offset))) }
        #expect(worst < 0.01)
    }

    @Test func resumesItsPosition_whenTheStreamIsLost() {
        let rig = PlayerRig(["a": .init(frames: 88_200)])
        rig.add(["a"], play: true)
        #expect(rig.play { $0.output.captured.count >= 20_000 && $0.player.snapshot.status == .playing })
        let heard = rig.output.captured.count
        rig.output.lose()
        rig.output.send(.availability(.available))
        #expect(rig.wait { $0.output.streamsOpened == 2 })
        #expect(rig.play { $0.player.snapshot.status == .completed })
        #expect(rig.output.captured.dropFirst(heard).first.map { abs($0 - Float(heard)) < 10 } == true)
    }

    @Test func nothingIsChanged_whenTheStoreRefuses() {
        let rig = PlayerRig(["a": .init(frames: 40_000_000), "b": .init(frames: 100)])
        rig.add(["a"], play: true)
        #expect(rig.play { $0.player.snapshot.status == .playing })
        let before = rig.player.snapshot
        let events = rig.received.count
        rig.store.fail(with: "The disk is full.")
        var louder = SettingsPatch()
        louder.volume = 0.5
        for command in [
            .edit(.replace([ItemDraft(uri: "b")], startIndex: nil), play: true),
            .edit(.clear), .edit(.undo), .apply(louder),
        ] as [PlayerCommand] {
            #expect(rig.perform(command).failure?.code == .notSaved, "\(command) was called done")
        }
        let after = rig.player.snapshot
        #expect(after.queueRevision == before.queueRevision)
        #expect(after.queueLength == 1)
        #expect(after.canUndo && !after.canRedo)
        #expect(after.settings == before.settings)
        #expect(after.item?.item.id == before.item?.item.id)
        #expect(after.playWhenReady)
        #expect(after.saveFailure == "The disk is full.")
        var errors = 0
        for event in rig.received.dropFirst(events) {
            switch event.kind {
            case .error: errors += 1
            case .queue, .settings, .effects, .item, .completed, .queueEnded, .route, .interruption:
                Issue.record("a change that is none: \(event.kind)")
            // The sink is not driven meanwhile.
            case .status, .output, .jumped, .loaded, .faded, .slept, .startEnded, .queueLow: continue
            }
        }
        #expect(errors == 1)
        rig.store.fail(with: "The disk is full.", isDiskFull: true)
        #expect(rig.perform(.edit(.clear)).failure?.code == .diskFull)

        // Transport needs no disk.
        rig.send(.pause)
        #expect(rig.play { $0.player.snapshot.status == .paused })
        rig.send(.play(.current))
        #expect(rig.play { $0.player.snapshot.status == .playing })

        // Recovers by itself.
        rig.store.fail(with: nil)
        #expect(
            rig.wait { rig in
                rig.clock.advance(seconds: 0.01)
                _ = rig.player.ping {}
                return rig.player.snapshot.saveFailure == nil
            })
        guard case .success(let snapshot) = rig.perform(.apply(louder)) else {
            return #expect(Bool(false), "there is room again")
        }
        #expect(snapshot.settings.volume == 0.5)
    }

    /// Its queue is saved before the next edit, or when the store saves again.
    @Test(arguments: [true, false]) func anAlarmPlays_whenTheStoreRefuses(isEdited: Bool) {
        let rig = PlayerRig(["a": .init(frames: 100), "b": .init(frames: 40_000_000)])
        rig.add(["a"], play: false)
        rig.store.fail(with: "The disk is full.", isDiskFull: true)
        let replaces = QueueEdit.replace([ItemDraft(uri: "b")], startIndex: 0)
        #expect(rig.perform(.edit(replaces)).failure?.code == .diskFull)
        #expect(rig.perform(.edit(replaces), origin: .alarm).failure == nil)
        rig.send(.play(.current))
        #expect(rig.play { $0.player.snapshot.status == .playing })
        #expect(rig.player.snapshot.item?.item.uri == "b" && rig.player.snapshot.saveFailure != nil)
        rig.store.fail(with: nil)
        if isEdited { #expect(rig.perform(.edit(.insert([ItemDraft(uri: "a")], at: .end))).failure == nil) }
        let isSaved = rig.wait { rig in
            rig.clock.advance(seconds: 0.01)
            _ = rig.player.ping {}
            return rig.store.saves.contains { changes in
                guard case .queue(.replaced(_, let items), _, _)? = changes.first else { return false }
                return items.map(\.uri) == ["b"] && changes.count == (isEdited ? 2 : 1)
            }
        }
        #expect(isSaved && rig.player.snapshot.queueLength == (isEdited ? 2 : 1))
    }

    /// An edit without content, with which the player saves an unsaved queue.
    @Test func anEditThatChangesNothing_startsNothing() {
        let rig = PlayerRig(["a": .init(frames: 40_000_000), "b": .init(frames: 40_000_000)])
        rig.add(["a"], play: false)
        rig.add(["b"], play: false)
        #expect(rig.perform(.apply(.with { $0.autoPlay = true })).failure == nil)
        rig.send(.play(.index(1)))
        #expect(rig.play { $0.player.snapshot.status == .playing })
        #expect(rig.perform(.edit(.remove([rig.player.snapshot.item!.item.id]))).failure == nil)
        #expect(rig.play { $0.player.snapshot.status == .stopped })
        #expect(rig.player.snapshot.item == nil)
        #expect(rig.perform(.edit(.insert([], at: .end))).failure == nil)
        #expect(rig.player.snapshot.status == .stopped && rig.player.snapshot.item == nil)
    }

    /// There is room for small changes, but not for the queue.
    @Test func anAlarmsQueue_thatCannotBeSaved_isReportedOnce_andItsPositionIsNotSaved() {
        let rig = PlayerRig(["a": .init(frames: 40_000_000)])
        rig.store.fail(with: "The disk is full.", isDiskFull: true, onlyQueues: true)
        let replaces = PlayerCommand.edit(.replace([ItemDraft(uri: "a")], startIndex: 0))
        #expect(rig.perform(replaces, origin: .alarm).failure == nil)
        rig.send(.play(.current))
        #expect(rig.play { $0.player.snapshot.status == .playing })
        let item = rig.player.snapshot.item?.item.id
        func hasPosition(_ rig: PlayerRig) -> Bool {
            rig.store.saves.joined()
                .contains { if case .position(let place?) = $0 { place.itemID == item } else { false } }
        }
        let began = rig.clock.now
        #expect(rig.play { $0.clock.now.seconds(since: began) > 3 })
        let errors = rig.received.filter { if case .error = $0.kind { true } else { false } }
        #expect(errors.count == 1 && rig.player.snapshot.saveFailure != nil && !hasPosition(rig))
        rig.store.fail(with: nil)
        #expect(rig.play { hasPosition($0) })
        #expect(rig.player.snapshot.saveFailure == nil)
    }

    @Test func transportIsAnswered_whenTheStoreHangs() {
        let rig = PlayerRig(["a": .init(frames: 40_000_000), "b": .init(frames: 40_000_000)])
        rig.add(["a", "b"], play: true)
        #expect(rig.play { $0.player.snapshot.status == .playing })
        rig.send(.pause)
        #expect(rig.play { $0.player.snapshot.status == .paused })
        rig.store.hang()
        // Each command changes the position, which is saved.
        for command in [.next, .seek(.position(10)), .previous] as [PlayerCommand] {
            let answer = Mutex<PlayerSnapshot?>(nil)
            rig.player.perform(command) { result in answer.withLock { $0 = try? result.get() } }
            #expect(
                rig.wait { rig in
                    rig.clock.advance(seconds: 0.001)
                    return answer.withLock { $0 } != nil
                })
        }
        #expect(rig.player.snapshot.item?.item.uri == "b")
    }

    @Test func everyCommandIsAnswered_whenThePlayerGoesDown() {
        let rig = PlayerRig(["a": .init(frames: 100)])
        let answers = Atomic(0)
        let signs = Atomic(0)
        let down = NamedThread("down") { rig.player.shutdown() }
        var asked = 0
        var taken = 0
        for _ in 0..<5_000 {
            rig.player.perform(.pause) { _ in answers.add(1, ordering: .relaxed) }
            asked += 1
            if rig.player.ping({ signs.add(1, ordering: .relaxed) }) { taken += 1 }
        }
        down.join()
        #expect(answers.load(ordering: .relaxed) == asked)
        #expect(signs.load(ordering: .relaxed) == taken)
        #expect(rig.perform(.pause).failure?.code == .shuttingDown, "nothing runs any more")
    }

    @Test func anItemHeardStaysInTheQueue_whenItsRemovalCannotBeSaved() {
        let rig = PlayerRig(["a": .init(frames: 2_000), "b": .init(frames: 88_200)])
        rig.send(.apply(.with { $0.consume = true }))
        rig.add(["a", "b"], play: true)
        #expect(rig.wait { $0.player.snapshot.queueLength == 2 })
        rig.store.fail(with: "The disk is full.")
        #expect(rig.play { $0.player.snapshot.item?.item.uri == "b" })
        #expect(rig.player.snapshot.queueLength == 2)
    }

    @Test func everyEventIsReadable_whenItArrives() {
        let rig = PlayerRig(["a": .init(frames: 8_820), "b": .init(frames: 8_820)])
        rig.add(["a", "b"], play: true)
        #expect(rig.play { $0.player.snapshot.status == .completed })
        let versions = rig.received.map(\.version)
        #expect(versions == versions.sorted())
        #expect((versions.last ?? 0) <= rig.player.snapshot.version)
    }

    /// An observer that is wrapped again at every event overflows the stack.
    @Test func observerIsNotWrappedAgain_atEachEvent() {
        let rig = PlayerRig()
        var patch = SettingsPatch()
        for step in 0..<20_000 {
            patch.volume = Double(step % 100) / 100
            rig.send(.apply(patch))
        }
        #expect(rig.wait { $0.receivedCount >= 19_000 })
    }
}
