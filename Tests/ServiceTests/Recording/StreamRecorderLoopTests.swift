// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Testing
import Kernel

@testable import Service

/// The loop alone, on the test's thread: it takes what was posted before in one batch.
@Suite struct StreamRecorderLoopTests {
    private final class ScriptedItem: Sendable {
        let value = Mutex("i1")
    }

    private let mailbox = Mailbox<StreamMessage>()
    private let board = StreamRecorder.Board([:])
    private let item = ScriptedItem()

    private func run(_ stream: ScriptedStream = ScriptedStream()) {
        let environment = StreamRecorder.Environment(
            store: MemoryStreams(), stream: { _ in stream },
            item: { [item] _ in StreamRecorder.Item(id: item.value.withLock { $0 }, isHeld: false) })
        StreamRecorderLoop(environment, mailbox, board).run()
    }

    @Test func whatComesBehindTheEnd_isAnswered() {
        let answers = Mailbox<RecordingError?>()
        mailbox.post(.shutdown)
        mailbox.post(
            .start("main", name: nil, StreamLimits()) { if case .failure(let error) = $0 { answers.post(error) } })
        mailbox.post(.stop("main") { if case .failure(let error) = $0 { answers.post(error) } })
        mailbox.post(.forget("main") { answers.post(nil) })
        run()
        #expect(answers.take(until: .now) == [.shuttingDown, .shuttingDown, nil])
    }

    @Test func oneMessageAtMost_waitsForEachRecording() {
        let stream = ScriptedStream()
        mailbox.post(
            .start("main", name: nil, StreamLimits()) { _ in
                stream.put(Array(repeating: .bytes(1, isAfterGap: false), count: 100))
                // The listener's message; a turn that leaves something has none of its own.
                stream.give()
            })
        mailbox.post(.shutdown)
        run(stream)
        #expect(mailbox.close().count == 1)
        #expect(board.status(of: "main").last?.bytes == 100)
    }

    @Test func oneThatHasMuch_leavesTheOthersTheirTurn() {
        let stream = ScriptedStream()
        let taken = Mailbox<Int>()
        mailbox.post(
            .start("main", name: nil, StreamLimits()) { _ in
                stream.put(Array(repeating: .bytes(1, isAfterGap: false), count: 100))
            })
        mailbox.post(.forget("kitchen") { taken.post(stream.offsets.count) })
        mailbox.post(.shutdown)
        run(stream)
        #expect(taken.take(until: .now) == [16])
        #expect(board.status(of: "main").last?.bytes == 100)
    }

    @Test func allThatIsThere_isTaken_whenTheItemChanges() {
        let stream = ScriptedStream(isLive: false, size: 1_000)
        mailbox.post(
            .start("main", name: nil, StreamLimits()) { [item] _ in
                stream.put(Array(repeating: .bytes(1, isAfterGap: false), count: 1_000) + [.over(.end)])
                item.value.withLock { $0 = "i2" }
            })
        mailbox.post(.changed("main"))
        mailbox.post(.shutdown)
        run(stream)
        let last = board.status(of: "main").last
        #expect(last?.reason == .end && last?.successfully == true && last?.bytes == 1_000)
    }
}
