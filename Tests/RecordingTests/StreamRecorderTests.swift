// SPDX-License-Identifier: Apache-2.0

import Recording
import Synchronization
import Testing
import Threading

@Suite struct StreamRecorderTests {
    private struct Rig {
        let stream: ScriptedStream
        let store = MemoryStreams()
        let item = ScriptedItem()
        let events = Mailbox<StreamRecordingStatus>()
        let recorder: StreamRecorder

        /// `opening` is called when the stream is asked for, on the recorder's thread.
        init(_ stream: ScriptedStream = ScriptedStream(), opening: @escaping @Sendable () -> Void = {}) {
            self.stream = stream
            recorder = StreamRecorder(
                StreamRecorder.Environment(
                    store: store,
                    stream: { player throws(RecordingError) in
                        opening()
                        guard player == "main" else { throw .nothingToSave("There is nothing.") }
                        return stream
                    }, item: { [item] _ in item.value.withLock { $0 } }))
            recorder.observe { [events] _, status in events.post(status) }
        }

        func start(_ player: String = "main") -> Result<(status: StreamRecordingStatus, isNew: Bool), RecordingError> {
            let answer = Mailbox<Result<(status: StreamRecordingStatus, isNew: Bool), RecordingError>>()
            recorder.start(player, name: nil) { answer.post($0) }
            return answer.take(until: nil)[0]
        }

        func stop() throws -> StreamRecordingStatus.Finished {
            let answer = Mailbox<Result<StreamRecordingStatus, RecordingError>>()
            recorder.stop("main") { answer.post($0) }
            return try #require(try answer.take(until: nil)[0].get().last)
        }

        /// Whether so many bytes come to be in the file.
        func holds(_ count: Int) -> Bool {
            let deadline = MonotonicTime.now.advanced(bySeconds: 10)
            while store.files.withLock({ $0["take.mp3"]?.count ?? 0 }) < count {
                guard MonotonicTime.now < deadline else { return false }
                _ = Mailbox<Void>().take(until: .now.advanced(bySeconds: 0.002))
            }
            return true
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
    }

    @Test func whatComes_isInTheFile_inOrder() throws {
        let rig = Rig()
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
        let rig = Rig()
        _ = try rig.start().get()
        for total in [10, 20, 30] {
            rig.stream.give(.bytes(10, isAfterGap: false))
            #expect(rig.holds(total))
        }
        _ = try rig.stop()
    }

    /// More than one turn, of which nobody tells anew.
    @Test func muchAtOnce_isTakenToTheEnd() throws {
        let rig = Rig()
        rig.stream.put(Array(repeating: .bytes(1, isAfterGap: false), count: 100))
        _ = try rig.start().get()
        #expect(rig.holds(100))
        _ = try rig.stop()
    }

    @Test func aGap_isToldAtOnce_andAtTheEnd() throws {
        let rig = Rig()
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
        #expect(!stopped.successfully && stopped.message == "It holds 60 of 100 bytes.")
    }

    @Test func aFullDisk_endsIt_withWhatFits() throws {
        let rig = Rig()
        rig.store.room.withLock { $0 = 120 }
        _ = try rig.start().get()
        rig.stream.give(.bytes(100, isAfterGap: false), .bytes(50, isAfterGap: false))
        let last = try rig.end()
        #expect(
            !last.successfully && last.reason == .diskFull && last.bytes == 120 && last.message == "There is no room.")
        #expect(rig.store.finished.withLock { $0 } == ["take.mp3"] && rig.stream.isEnded)
    }

    @Test func bytesThatAreGone_endIt() throws {
        let rig = Rig()
        _ = try rig.start().get()
        rig.stream.give(.over(.tooSlow, "The disk did not keep up."))
        let last = try rig.end()
        #expect(!last.successfully && last.reason == .tooSlow && last.message == "The disk did not keep up.")
    }

    @Test func anotherItem_endsIt_andTheSameDoesNot() throws {
        let rig = Rig()
        _ = try rig.start().get()
        rig.recorder.itemChanged("main")
        let (status, isNew) = try rig.start().get()
        #expect(!isNew && status.state == .recording, "the same item is current")
        rig.stream.give(.bytes(10, isAfterGap: false))
        rig.item.value.withLock { $0 = "i2" }
        rig.recorder.itemChanged("main")
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

    @Test func theEnds_ofPlayerAndServer_completeTheFile() throws {
        let removed = Rig()
        _ = try removed.start().get()
        removed.stream.give(.bytes(10, isAfterGap: false))
        let done = Mailbox<Void>()
        removed.recorder.forget("main") { done.post(()) }
        _ = done.take(until: nil)
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
            rig.recorder.itemChanged("main")
        case .user: rig.recorder.stop("main") { _ in }
        default: rig.recorder.forget("main") { ended.post(()) }
        }
        #expect(ended.take(until: .now).isEmpty, "nothing has ended yet")
        opens.post(())
        #expect(try rig.end().reason == reason)
    }

    @Test func nothingToSave_isARefusal() throws {
        let rig = Rig()
        guard case .failure(.nothingToSave) = rig.start("kitchen") else { return #expect(Bool(false)) }
        let answer = Mailbox<Result<StreamRecordingStatus, RecordingError>>()
        rig.recorder.stop("main") { answer.post($0) }
        guard case .failure(.notRecording) = answer.take(until: nil)[0] else { return #expect(Bool(false)) }
    }
}
