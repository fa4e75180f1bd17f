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
        /// The open stream of the item; nil: none.
        let open: Published<ScriptedStream?, Never>
        let store = MemoryStreams()
        let item = Published<StreamRecorder.Item?, Never>(StreamRecorder.Item(id: "i1", isHeld: false))
        let events = Mailbox<StreamRecordingStatus>()
        let recorder: StreamRecorder

        /// `opening` is called when the stream is requested, on the recorder's thread.
        init(_ stream: ScriptedStream = ScriptedStream(), opening: @escaping @Sendable () -> Void = {}) {
            self.stream = stream
            let open = Published<ScriptedStream?, Never>(stream)
            self.open = open
            recorder = StreamRecorder(
                store: store,
                stream: { player throws(RecordingError) in
                    opening()
                    guard player == "main", let stream = open.value else {
                        throw .nothingToSave("There is nothing.")
                    }
                    return stream
                },
                item: { [item] _ in item.value })
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

        /// Polls the status, as a growing size alone is no event.
        func wait(_ holds: (StreamRecordingStatus) -> Bool) throws {
            let answered = Mailbox<Void>()
            for _ in 0..<1_000 where !holds(recorder.status(of: "main")) {
                // Answered after all earlier messages.
                recorder.start("main", name: nil) { _ in answered.post(()) }
                try #require(!answered.take(until: .now.advanced(bySeconds: 10)).isEmpty)
            }
            try #require(holds(recorder.status(of: "main")))
        }

        /// Whether the file reaches this size.
        func holds(_ count: Int) -> Bool {
            eventually { store.files.withLock { $0["take.mp3"]?.count ?? 0 } >= count }
        }

        /// The result in the event of the end.
        func end() throws -> StreamRecordingStatus.Finished {
            while true {
                let events = events.take(until: .now.advanced(bySeconds: 10))
                if events.isEmpty { try #require(Bool(false), "no end was reported") }
                if let last = events.compactMap(\.last).last { return last }
            }
        }
    }

    @Test func receivedBytes_areInTheFile_inOrder() throws {
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

    @Test func laterBytes_areWrittenAsTheyArrive() throws {
        _ = try rig.start().get()
        for total in [10, 20, 30] {
            rig.stream.give(.bytes(10, isAfterGap: false))
            #expect(rig.holds(total))
        }
        _ = try rig.stop()
    }

    /// More than one turn, with one notification.
    @Test func manyBytesAtOnce_areAllWritten() throws {
        rig.stream.put(Array(repeating: .bytes(1, isAfterGap: false), count: 100))
        _ = try rig.start().get()
        #expect(rig.holds(100))
        _ = try rig.stop()
    }

    @Test func aGap_isReportedAtOnce_andAtTheEnd() throws {
        _ = try rig.start().get()
        rig.stream.give(.bytes(100, isAfterGap: false), .bytes(50, isAfterGap: true))
        var gaps = 0
        while gaps == 0 {
            let events = rig.events.take(until: .now.advanced(bySeconds: 10))
            try #require(!events.isEmpty, "no gap was reported")
            gaps = events.compactMap(\.current?.gaps).max() ?? 0
        }
        #expect(gaps == 1)
        let last = try rig.stop()
        #expect(!last.successfully && last.gaps == 1 && last.bytes == 150 && last.message != nil)
    }

    @Test func aFile_isCompleteOnlyAtItsEnd() throws {
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

    @Test func aFullDisk_endsTheRecording_withTheBytesThatFit() throws {
        rig.store.room.withLock { $0 = 120 }
        _ = try rig.start().get()
        rig.stream.give(.bytes(100, isAfterGap: false), .bytes(50, isAfterGap: false))
        let last = try rig.end()
        #expect(
            !last.successfully && last.reason == .diskFull && last.bytes == 120 && last.message == "There is no room.")
        #expect(rig.store.finished.withLock { $0 } == ["take.mp3"] && rig.stream.isEnded)
    }

    @Test func aSizeLimit_endsTheRecording_atExactlyThisSize() throws {
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
        #expect(before.successfully && before.reason == .sizeLimit && before.gaps == 0, "the gap comes after the file")
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

    @Test func aTimeLimit_endsTheRecording_withTheReceivedBytes() throws {
        rig.stream.put([.bytes(100, isAfterGap: false)])
        _ = try rig.start(limits: StreamLimits(seconds: 0.05)).get()
        let last = try rig.end()
        #expect(last.successfully && last.reason == .timeLimit && last.bytes == 100)
        #expect(rig.store.finished.withLock { $0 } == ["take.mp3"] && rig.stream.isEnded)
    }

    @Test func droppedBytes_endTheRecording() throws {
        _ = try rig.start().get()
        rig.stream.give(.over(.tooSlow, "The disk did not keep up."))
        let last = try rig.end()
        #expect(!last.successfully && last.reason == .tooSlow && last.message == "The disk did not keep up.")
    }

    @Test func anotherItem_endsTheRecording_andTheSameDoesNot() throws {
        _ = try rig.start().get()
        rig.recorder.changed("main")
        let (status, isNew) = try rig.start().get()
        #expect(!isNew && status.state == .recording, "the same item is current")
        rig.stream.give(.bytes(10, isAfterGap: false))
        rig.item.update { $0?.id = "i2" }
        rig.recorder.changed("main")
        let last = try rig.end()
        #expect(last.reason == .item && last.successfully && last.bytes == 10)
    }

    @Test func aClosedSource_wasLeft_orItsItemReplaced() throws {
        for (current, reason) in [("i1", StreamEndReason.left), ("i2", .item)] {
            let rig = Rig()
            _ = try rig.start().get()
            rig.item.update { $0?.id = current }
            rig.stream.give(.over(.left))
            #expect(try rig.end().reason == reason)
        }
    }

    /// Another output, or the end of an announcement: the player reopens the station.
    @Test func aReopenedStation_continuesTheFile_afterAGap() throws {
        rig.item.update { $0?.isHeld = true }
        _ = try rig.start().get()
        rig.open.update { $0 = nil }
        rig.stream.give(.bytes(100, isAfterGap: false), .over(.left))
        // It is not open yet.
        try rig.wait { $0.current?.bytes == 100 }
        #expect(rig.recorder.status(of: "main").state == .recording)
        let next = ScriptedStream()
        rig.open.update { $0 = next }
        next.put([.bytes(50, isAfterGap: false)])
        rig.stream.put([.over(.left)])
        rig.recorder.changed("main")
        try rig.wait { $0.current?.bytes == 150 }
        let last = try rig.stop()
        #expect(last.gaps == 1 && last.bytes == 150 && last.reason == .user && rig.stream.isEnded)
        #expect(next.offsets == [1_000])
    }

    @Test(arguments: [2_000, 1_999] as [Int64])
    func aReopenedFile_continuesAtTheSameByte_unlessItHasAnotherSize(size: Int64) throws {
        let rig = Rig(ScriptedStream(isLive: false, size: 2_000))
        rig.item.update { $0?.isHeld = true }
        _ = try rig.start().get()
        let next = ScriptedStream(isLive: false, size: size)
        rig.open.update { $0 = next }
        next.put([.bytes(900, isAfterGap: false), .over(.end)])
        rig.stream.give(.bytes(100, isAfterGap: false), .over(.left))
        let last = try rig.end()
        guard size == 2_000 else {
            return #expect(last.reason == .left && !last.successfully && last.bytes == 100)
        }
        #expect(last.successfully && last.reason == .end && last.gaps == 0 && last.bytes == 1_000)
        #expect(next.offsets == [1_100, 2_000])
    }

    @Test func aStreamThatIsNotReopened_endsWhenItIsNoLongerHeld() throws {
        rig.item.update { $0?.isHeld = true }
        _ = try rig.start().get()
        rig.open.update { $0 = nil }
        rig.stream.give(.bytes(100, isAfterGap: false), .over(.left))
        try rig.wait { $0.current?.bytes == 100 }
        rig.item.update { $0?.isHeld = false }
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

    /// Requests during a start are handled after it.
    @Test(arguments: [StreamEndReason.item, .user, .player])
    func anEnd_isNotLost_duringTheStart(reason: StreamEndReason) throws {
        let (asked, opens, ended) = (Mailbox<Void>(), Mailbox<Void>(), Mailbox<Void>())
        let rig = Rig {
            asked.post(())
            _ = opens.take(until: .now.advanced(bySeconds: 60))
        }
        rig.recorder.start("main", name: nil) { _ in }
        try #require(!asked.take(until: .now.advanced(bySeconds: 60)).isEmpty)
        switch reason {
        case .item:
            rig.item.update { $0?.id = "i2" }
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
