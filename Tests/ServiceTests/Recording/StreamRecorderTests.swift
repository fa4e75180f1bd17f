// SPDX-License-Identifier: Apache-2.0

import Service
import Synchronization
import Testing
import Kernel
import KernelTesting

@Suite struct StreamRecorderTests {
    private let rig = Rig()

    private struct Rig {
        let stream: ScriptedStream
        /// What is open of the item; nil: nothing at present.
        let open: OpenStream
        let store = MemoryStreams()
        let item = ScriptedItem()
        let events = Mailbox<StreamRecordingStatus>()
        let recorder: StreamRecorder

        /// `opening` is called when the stream is asked for, on the recorder's thread.
        init(_ stream: ScriptedStream = ScriptedStream(), opening: @escaping @Sendable () -> Void = {}) {
            self.stream = stream
            let open = OpenStream(stream)
            self.open = open
            recorder = StreamRecorder(
                StreamRecorder.Environment(
                    store: store,
                    stream: { player throws(RecordingError) in
                        opening()
                        guard player == "main", let stream = open.value.withLock({ $0 }) else {
                            throw .nothingToSave("There is nothing.")
                        }
                        return stream
                    },
                    item: { [item] _ in
                        item.value.withLock { $0 }.map {
                            StreamRecorder.Item(id: $0, isHeld: item.isHeld.withLock { $0 })
                        }
                    }))
            recorder.observe { [events] _, status in events.post(status) }
        }

        func start(
            _ player: String = "main", limits: StreamLimits = StreamLimits()
        ) -> Result<StreamRecorder.Started, RecordingError> {
            let answer = Mailbox<Result<StreamRecorder.Started, RecordingError>>()
            recorder.start(player, name: nil, limits: limits) { answer.post($0) }
            return answer.answer()
        }

        func stop() throws -> StreamRecordingStatus.Finished {
            let answer = Mailbox<Result<StreamRecordingStatus, RecordingError>>()
            recorder.stop("main") { answer.post($0) }
            return try #require(try answer.answer().get().last)
        }

        /// Bytes that grow are no event.
        func wait(_ holds: (StreamRecordingStatus) -> Bool) throws {
            let answered = Mailbox<Void>()
            for _ in 0..<1_000 where !holds(recorder.status(of: "main")) {
                // Behind all that it was told before.
                recorder.start("main", name: nil) { _ in answered.post(()) }
                try #require(!answered.take(until: .now.advanced(bySeconds: 10)).isEmpty)
            }
            try #require(holds(recorder.status(of: "main")))
        }

        /// Whether so many bytes come to be in the file.
        func holds(_ count: Int) -> Bool {
            eventually { store.files.withLock { $0["take.mp3"]?.count ?? 0 } >= count }
        }

        /// How it ended, by its event.
        func end() throws -> StreamRecordingStatus.Finished {
            while true {
                let events = events.take(until: .now.advanced(bySeconds: 10))
                if events.isEmpty { try #require(Bool(false), "no end was told") }
                if let last = events.compactMap(\.last).last { return last }
            }
        }
    }

    private final class ScriptedItem: Sendable {
        let value = Mutex<String?>("i1")
        let isHeld = Mutex(false)
    }

    private final class OpenStream: Sendable {
        let value: Mutex<ScriptedStream?>

        init(_ stream: ScriptedStream) { value = Mutex(stream) }
    }

    @Test func whatComes_isInTheFile_inOrder() throws {
        let (status, isNew) = try rig.start().get()
        #expect(isNew && status.state == .recording && status.current?.id == "take.mp3")
        #expect(try !rig.start().get().isNew, "one file at a time")
        rig.stream.give(.bytes(100, isAfterGap: false), .bytes(50, isAfterGap: false))
        let last = try rig.stop()
        #expect(last.successfully && last.reason == .user && last.bytes == 150 && last.item == "i1")
        #expect(rig.store.files.withLock { $0["take.mp3"] } == (0..<150).map { UInt8(truncatingIfNeeded: $0 + 1_000) })
        #expect(rig.store.finished.withLock { $0 } == ["take.mp3"] && rig.stream.isEnded)
        #expect(rig.stream.offsets == [1_000, 1_100])
        #expect(rig.recorder.status(of: "main").state == .idle)
    }

    @Test func whatComesLater_isTakenAsItComes() throws {
        _ = try rig.start().get()
        for total in [10, 20, 30] {
            rig.stream.give(.bytes(10, isAfterGap: false))
            #expect(rig.holds(total))
        }
        _ = try rig.stop()
    }

    /// More than one turn, of which nobody tells anew.
    @Test func muchAtOnce_isTakenToTheEnd() throws {
        rig.stream.put(Array(repeating: .bytes(1, isAfterGap: false), count: 100))
        _ = try rig.start().get()
        #expect(rig.holds(100))
        _ = try rig.stop()
    }

    @Test func aGap_isToldAtOnce_andAtTheEnd() throws {
        _ = try rig.start().get()
        rig.stream.give(.bytes(100, isAfterGap: false), .bytes(50, isAfterGap: true))
        var told = 0
        while told == 0 {
            let events = rig.events.take(until: .now.advanced(bySeconds: 10))
            try #require(!events.isEmpty, "no gap was told")
            told = events.compactMap(\.current?.gaps).max() ?? 0
        }
        #expect(told == 1)
        let last = try rig.stop()
        #expect(!last.successfully && last.gaps == 1 && last.bytes == 150 && last.message != nil)
    }

    @Test func aFile_isWholeAtItsEndOnly() throws {
        let whole = Rig(ScriptedStream(isLive: false, size: 100))
        _ = try whole.start().get()
        whole.stream.give(.bytes(100, isAfterGap: false), .over(.end))
        let last = try whole.end()
        #expect(last.successfully && last.reason == .end)
        let part = Rig(ScriptedStream(isLive: false, size: 100))
        _ = try part.start().get()
        part.stream.give(.bytes(60, isAfterGap: false))
        let stopped = try part.stop()
        #expect(!stopped.successfully && stopped.message == "It contains 60 of 100 bytes.")
    }

    @Test func aFullDisk_endsIt_withWhatFits() throws {
        rig.store.room.withLock { $0 = 120 }
        _ = try rig.start().get()
        rig.stream.give(.bytes(100, isAfterGap: false), .bytes(50, isAfterGap: false))
        let last = try rig.end()
        #expect(
            !last.successfully && last.reason == .diskFull && last.bytes == 120 && last.message == "There is no room.")
        #expect(rig.store.finished.withLock { $0 } == ["take.mp3"] && rig.stream.isEnded)
    }

    @Test func aSizeLimit_endsIt_withExactlySoMuch_whenMoreComes() throws {
        let limits = StreamLimits(bytes: 120)
        let station = Rig()
        #expect(try station.start(limits: limits).get().status.current?.limits == limits)
        station.stream.give(.bytes(100, isAfterGap: false), .bytes(50, isAfterGap: false))
        let last = try station.end()
        #expect(last.successfully && last.reason == .sizeLimit && last.bytes == 120)
        #expect(station.store.finished.withLock { $0 } == ["take.mp3"] && station.stream.isEnded)
        let torn = Rig()
        _ = try torn.start(limits: limits).get()
        torn.stream.give(.bytes(120, isAfterGap: false), .bytes(50, isAfterGap: true))
        let before = try torn.end()
        #expect(before.successfully && before.reason == .sizeLimit && before.gaps == 0, "the gap is behind the file")
        let fitting = Rig(ScriptedStream(isLive: false, size: 120))
        _ = try fitting.start(limits: limits).get()
        fitting.stream.give(.bytes(120, isAfterGap: false), .over(.end))
        let whole = try fitting.end()
        #expect(whole.successfully && whole.reason == .end && whole.bytes == 120)
        let larger = Rig(ScriptedStream(isLive: false, size: 121))
        _ = try larger.start(limits: limits).get()
        larger.stream.give(.bytes(120, isAfterGap: false), .bytes(1, isAfterGap: false), .over(.end))
        let part = try larger.end()
        #expect(!part.successfully && part.reason == .sizeLimit && part.message == "It contains 120 of 121 bytes.")
    }

    @Test func aTimeLimit_endsIt_withWhatHasCome() throws {
        rig.stream.put([.bytes(100, isAfterGap: false)])
        _ = try rig.start(limits: StreamLimits(seconds: 0.05)).get()
        let last = try rig.end()
        #expect(last.successfully && last.reason == .timeLimit && last.bytes == 100)
        #expect(rig.store.finished.withLock { $0 } == ["take.mp3"] && rig.stream.isEnded)
    }

    @Test func bytesThatAreGone_endIt() throws {
        _ = try rig.start().get()
        rig.stream.give(.over(.tooSlow, "The disk did not keep up."))
        let last = try rig.end()
        #expect(!last.successfully && last.reason == .tooSlow && last.message == "The disk did not keep up.")
    }

    @Test func anotherItem_endsIt_andTheSameDoesNot() throws {
        _ = try rig.start().get()
        rig.recorder.changed("main")
        let (status, isNew) = try rig.start().get()
        #expect(!isNew && status.state == .recording, "the same item is current")
        rig.stream.give(.bytes(10, isAfterGap: false))
        rig.item.value.withLock { $0 = "i2" }
        rig.recorder.changed("main")
        let last = try rig.end()
        #expect(last.reason == .item && last.successfully && last.bytes == 10)
    }

    @Test func aSourceThatCloses_hasBeenLeft_orHadItsItemReplaced() throws {
        for (current, reason) in [("i1", StreamEndReason.left), ("i2", .item)] {
            let rig = Rig()
            _ = try rig.start().get()
            rig.item.value.withLock { $0 = current }
            rig.stream.give(.over(.left))
            #expect(try rig.end().reason == reason)
        }
    }

    /// Another output, or the end of an announcement: the station is joined anew.
    @Test func aStationThatIsOpenedAnew_goesOnInTheSameFile_behindAGap() throws {
        rig.item.isHeld.withLock { $0 = true }
        _ = try rig.start().get()
        rig.open.value.withLock { $0 = nil }
        rig.stream.give(.bytes(100, isAfterGap: false), .over(.left))
        // It is not open yet.
        try rig.wait { $0.current?.bytes == 100 }
        #expect(rig.recorder.status(of: "main").state == .recording)
        let next = ScriptedStream()
        rig.open.value.withLock { $0 = next }
        next.put([.bytes(50, isAfterGap: false)])
        rig.stream.put([.over(.left)])
        rig.recorder.changed("main")
        try rig.wait { $0.current?.bytes == 150 }
        let last = try rig.stop()
        #expect(last.gaps == 1 && last.bytes == 150 && last.reason == .user && rig.stream.isEnded)
        #expect(next.offsets == [1_000])
    }

    @Test func aFileThatIsOpenedAnew_goesOnAtTheSameByte() throws {
        let rig = Rig(ScriptedStream(isLive: false, size: 2_000))
        rig.item.isHeld.withLock { $0 = true }
        _ = try rig.start().get()
        let next = ScriptedStream(isLive: false, size: 2_000)
        rig.open.value.withLock { $0 = next }
        next.put([.bytes(900, isAfterGap: false), .over(.end)])
        rig.stream.give(.bytes(100, isAfterGap: false), .over(.left))
        let last = try rig.end()
        #expect(last.successfully && last.reason == .end && last.gaps == 0 && last.bytes == 1_000)
        #expect(next.offsets == [1_100, 2_000])
    }

    @Test func whatIsOpenedAnewAsAnotherThing_endsIt() throws {
        let rig = Rig(ScriptedStream(isLive: false, size: 2_000))
        rig.item.isHeld.withLock { $0 = true }
        _ = try rig.start().get()
        rig.open.value.withLock { $0 = ScriptedStream(isLive: false, size: 1_999) }
        rig.stream.give(.bytes(100, isAfterGap: false), .over(.left))
        let last = try rig.end()
        #expect(last.reason == .left && !last.successfully && last.bytes == 100)
    }

    @Test func whatIsNotOpenedAnew_endsWithTheWish() throws {
        rig.item.isHeld.withLock { $0 = true }
        _ = try rig.start().get()
        rig.open.value.withLock { $0 = nil }
        rig.stream.give(.bytes(100, isAfterGap: false), .over(.left))
        try rig.wait { $0.current?.bytes == 100 }
        rig.item.isHeld.withLock { $0 = false }
        rig.stream.put([.over(.left)])
        rig.recorder.changed("main")
        let last = try rig.end()
        #expect(last.reason == .left && last.successfully)
    }

    @Test func theEnds_ofPlayerAndServer_completeTheFile() throws {
        let removed = Rig()
        _ = try removed.start().get()
        removed.stream.give(.bytes(10, isAfterGap: false))
        let done = Mailbox<Void>()
        removed.recorder.forget("main") { done.post(()) }
        done.answer()
        #expect(try removed.end().reason == .player)
        #expect(removed.recorder.status(of: "main").last == nil)
        let ended = Rig()
        _ = try ended.start().get()
        ended.recorder.shutdown()
        #expect(try ended.end().reason == .shutdown)
        #expect(ended.store.finished.withLock { $0 } == ["take.mp3"])
    }

    /// What is asked for while a recording begins comes after it.
    @Test(arguments: [StreamEndReason.item, .user, .player])
    func anEnd_isNotLost_whileItBegins(reason: StreamEndReason) throws {
        let (asked, opens, ended) = (Mailbox<Void>(), Mailbox<Void>(), Mailbox<Void>())
        let rig = Rig {
            asked.post(())
            _ = opens.take(until: .now.advanced(bySeconds: 60))
        }
        rig.recorder.start("main", name: nil) { _ in }
        try #require(!asked.take(until: .now.advanced(bySeconds: 60)).isEmpty)
        switch reason {
        case .item:
            rig.item.value.withLock { $0 = "i2" }
            rig.recorder.changed("main")
        case .user: rig.recorder.stop("main") { _ in }
        default: rig.recorder.forget("main") { ended.post(()) }
        }
        #expect(ended.take(until: .now).isEmpty, "nothing has ended yet")
        opens.post(())
        #expect(try rig.end().reason == reason)
    }

    @Test func nothingToSave_isARefusal() throws {
        guard case .failure(.nothingToSave) = rig.start("kitchen") else { return #expect(Bool(false)) }
        let answer = Mailbox<Result<StreamRecordingStatus, RecordingError>>()
        rig.recorder.stop("main") { answer.post($0) }
        #expect(answer.answer().failure == .notRecording)
    }
}
