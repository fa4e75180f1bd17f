// SPDX-License-Identifier: Apache-2.0

import Service
import Synchronization
import Testing
import Kernel
import KernelTesting

struct RecorderTests {
    private let rig = Rig()

    private final class Rig {
        let source: ScriptedSource
        let store = MemoryRecordings()
        private let refusal = Published<String?, Never>(nil)
        let events = Mailbox<Recorder.Event>()
        let played = Mailbox<String>()
        let recorder: Recorder

        init(_ source: ScriptedSource = ScriptedSource()) {
            self.source = source
            recorder = Recorder(
                capture: source, store: store, refusal: { [refusal] in refusal.value },
                play: { [played] in played.post($0) })
            recorder.observe { [events] in events.post($0) }
        }

        deinit { recorder.shutdown() }

        func refuse(_ sentence: String?) {
            refusal.update { $0 = sentence }
        }

        func start(
            _ change: (inout RecordingSettings) -> Void = { _ in }
        ) -> Result<Recorder.Started, RecordingError> {
            var settings = RecordingSettings()
            settings.isMetered = false
            change(&settings)
            return begin(settings).answer()
        }

        func begin(_ settings: RecordingSettings) -> Mailbox<Result<Recorder.Started, RecordingError>> {
            let answer = Mailbox<Result<Recorder.Started, RecordingError>>()
            recorder.start(settings) { answer.post($0) }
            return answer
        }

        func wait(
            _ command: (@escaping RecordingReply<RecordingStatus>) -> Void
        ) -> Result<RecordingStatus, RecordingError> {
            let answer = Mailbox<Result<RecordingStatus, RecordingError>>()
            command { answer.post($0) }
            return answer.answer()
        }

        /// The events up to the first status that meets the condition.
        func reported(until isMet: (RecordingStatus) -> Bool) -> [Recorder.Event] {
            var all: [Recorder.Event] = []
            while case let some = events.take(1), !some.isEmpty {
                for event in some {
                    all.append(event)
                    if case .status(let status) = event, isMet(status) { return all }
                }
            }
            Issue.record("no such status in \(all)")
            return all
        }

        /// The result in the event of the end.
        func end() throws -> RecordingStatus.Finished {
            guard case .status(let status)? = reported(until: { $0.last != nil }).last else {
                throw RecordingError.failed("no end")
            }
            return try #require(status.last)
        }
    }

    @Test func shutdown_doesNotWaitForADiskThatHangs() throws {
        #expect(try rig.start().get().isNew)
        rig.store.hangs.withLock { $0 = true }
        rig.source.give([1, 2])
        #expect(!rig.store.hung.take(until: .now.advanced(bySeconds: 60)).isEmpty)
        let recorder = rig.recorder
        #expect(returns { recorder.shutdown() })
        rig.store.release.post(true)
    }

    @Test func recording_isPausedResumedAndStopped_inOneFile() throws {
        #expect(try rig.start().get().isNew)
        rig.source.give([1, 2])
        #expect(try rig.wait(rig.recorder.pause).get().state == .paused)
        rig.source.give([9])
        #expect(try !rig.start().get().isNew)
        #expect(rig.source.pauses == [true, false])
        rig.source.give([3])
        let status = try rig.wait(rig.recorder.stop).get()
        #expect(status.state == .idle && status.last?.successfully == true && status.last?.reason == .user)
        #expect(rig.store.finished.withLock { $0 } == ["take-1.wav"])
        #expect(Array(rig.store.content("take-1.wav").prefix(2)) == [1, 2])
        #expect(rig.store.content("take-1.wav").last == 3)
    }

    @Test func startWhileRecording_changesNothing() throws {
        let first = try rig.start().get()
        let second = try rig.start { $0.sampleRate = 48_000 }.get()
        #expect(second.status.current?.id == first.status.current?.id && !second.isNew)
        #expect(rig.source.requests.count == 1)
    }

    @Test func lostSource_endsTheRecording_andItsSoundIsKept() throws {
        _ = rig.start()
        rig.source.give([1, 2, 3])
        rig.source.report(.failed(.failed("gone")))
        let last = try rig.end()
        #expect(last.reason == .routeChange && last.message == "gone")
        #expect(rig.store.content("take-1.wav") == [1, 2, 3])
        #expect(rig.source.closings == 1)
    }

    @Test func stalledSoundServer_interruptsTheRecording_andTheLossIsCounted() throws {
        _ = try rig.start().get()
        rig.source.give([1, 2])
        _ = rig.reported { $0.state == .interrupted }
        #expect(try rig.start().get().status.state == .interrupted)
        rig.source.give([3])
        _ = rig.reported { $0.state == .recording }
        // Two seconds at 8 kHz.
        let lost = try #require(rig.wait(rig.recorder.pause).get().current?.lostFrames)
        #expect((15_900..<160_000).contains(lost))
        let last = try rig.wait(rig.recorder.stop).get().last
        #expect(last?.successfully == false && last?.reason == .user)
        #expect(last?.message == "\((Double(lost) / 8).rounded() / 1_000) s were lost: the sound server stood still.")
        #expect(rig.store.content("take-1.wav") == [1, 2, 3])
    }

    @Test func soundDeliveredLate_isNotLost() throws {
        _ = try rig.start().get()
        let began = MonotonicTime.now
        _ = rig.reported { $0.state == .interrupted }
        let late = Int(MonotonicTime.now.seconds(since: began) * 8_000)
        rig.source.give(Array(repeating: 0.5, count: late))
        let last = try rig.wait(rig.recorder.stop).get().last
        #expect(last?.successfully == true && last?.message == nil)
    }

    @Test func fullDisk_isAFailure() throws {
        _ = rig.start()
        rig.store.isFull.withLock { $0 = true }
        rig.source.give([1])
        let last = try rig.end()
        #expect(!last.successfully && last.reason == .diskFull)
        #expect(rig.store.finished.withLock { $0 } == ["take-1.wav"])
    }

    @Test func withoutSource_thereIsNoFile() {
        let rig = Rig(ScriptedSource(failure: .noSource("none")))
        #expect(rig.start().failure == .noSource("none"))
        #expect(rig.recorder.status.state == .idle)
        #expect(rig.store.files.withLock { $0.isEmpty })
    }

    @Test(arguments: [false, true])
    func withdrawnPermission_endsTheRecording_andIsAFailureBeforeTheFirstFrame(hasSound: Bool) throws {
        rig.refuse("playback only")
        #expect(rig.start().failure == .notPermitted("playback only"))
        rig.refuse(nil)
        _ = try rig.start().get()
        if hasSound { rig.source.give([1]) }
        rig.refuse("playback only")
        rig.recorder.permissionChanged()
        let last = try rig.end()
        #expect(last.reason == .session && last.message == "playback only" && last.successfully == hasSound)
    }

    /// The source may report before the session.
    @Test(arguments: [false, true])
    func permissionWithdrawnWhileTheSourceOpens_leavesNoFile(sessionIsFirst: Bool) throws {
        let rig = Rig(ScriptedSource(isSilent: true))
        let answer = rig.begin(RecordingSettings())
        _ = rig.reported { $0.state == .starting }
        #expect(!rig.source.openings.take(until: .now.advanced(bySeconds: 60)).isEmpty)
        rig.refuse("playback only")
        if sessionIsFirst { rig.recorder.permissionChanged() } else { rig.source.report(.started(source: "mic")) }
        #expect(answer.answer().failure == .notPermitted("playback only"))
        #expect(rig.recorder.status.state == .idle)
        rig.source.report(.started(source: "mic"))
        rig.recorder.shutdown()
        #expect(rig.store.files.withLock { $0.isEmpty } && rig.source.closings == 1)
    }

    @Test func stopWhileTheSourceOpens_endsTheStart() throws {
        let rig = Rig(ScriptedSource(isSilent: true))
        let answer = rig.begin(RecordingSettings())
        _ = rig.reported { $0.state == .starting }
        #expect(try rig.wait(rig.recorder.stop).get().state == .idle)
        guard case .failure(.ended) = answer.answer() else { return #expect(Bool(false)) }
    }

    @Test func levels_areReportedOnlyWhenMetered_andEndInSilence() throws {
        for isMetered in [true, false] {
            let rig = Rig()
            _ = try rig.start { $0.isMetered = isMetered }.get()
            rig.source.give(Array(repeating: 0.1, count: 1_600))
            _ = rig.wait(rig.recorder.stop)
            let levels = rig.reported(until: { $0.last != nil }).compactMap { event -> Double? in
                guard case .levels(_, let channels) = event else { return nil }
                return channels[0].peak
            }
            #expect(isMetered ? levels.last == -160 : levels.isEmpty)
            rig.recorder.shutdown()
        }
    }

    @Test func recordingWithoutAFrame_isAFailure_andIsNotPlayed() throws {
        _ = try rig.start { $0.playsAfterwards = true }.get()
        let last = try rig.wait(rig.recorder.stop).get().last
        #expect(last?.successfully == false && last?.reason == .user)
        #expect(last?.message == "There is no file: the source delivered no sound.")
        rig.recorder.shutdown()
        #expect(rig.played.take(until: .now).isEmpty)
    }

    /// Stopped before the source's first portion, it ends with that.
    @Test func finishedRecording_isPlayed_whenRequested() throws {
        _ = try rig.start { $0.playsAfterwards = true }.get()
        let answer = Mailbox<Result<RecordingStatus, RecordingError>>()
        rig.recorder.stop { answer.post($0) }
        rig.source.give([1])
        #expect(try answer.answer().get().last?.successfully == true)
        #expect(rig.played.answer() == "file:///take-1.wav")
    }

    @Test func withoutAThread_theRecordingIsRefused_andTheNextStarts() throws {
        NamedThread.$isRefused.withValue(true) {
            guard case .failure(.failed) = rig.start() else { return #expect(Bool(false)) }
        }
        #expect(try rig.start().get().isNew)
    }

    @Test func shutdown_completesTheFile_andRefusesLaterRequests() throws {
        _ = try rig.start().get()
        rig.source.give([1, 2])
        rig.recorder.shutdown()
        #expect(rig.store.content("take-1.wav") == [1, 2])
        #expect(rig.recorder.status.last?.reason == .shutdown)
        #expect(rig.start().failure == .shuttingDown)
    }
}
