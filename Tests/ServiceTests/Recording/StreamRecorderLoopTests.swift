// SPDX-License-Identifier: Apache-2.0

import Testing
import Kernel

@testable import Service

/// The loop alone, on the test's thread, which passes it each message.
@Suite struct StreamRecorderLoopTests {
    private let mailbox = Mailbox<StreamMessage>()
    private let board = StreamRecorder.Board([:])
    private let item = Published<String, Never>("i1")

    /// A loop that records this stream of `main`. `started` is called when the recording has started.
    private func loop(recording stream: ScriptedStream, started: @escaping @Sendable () -> Void) -> StreamRecorderLoop {
        let environment = StreamRecorder.Environment(
            store: MemoryStreams(), stream: { _ in stream },
            item: { [item] _ in StreamRecorder.Item(id: item.value, isHeld: false) })
        let loop = StreamRecorderLoop(environment, mailbox, board)
        loop.receive(.start("main", name: nil, StreamLimits()) { _ in started() })
        return loop
    }

    @Test func aRecordingTakesTurns_andHasOneWaitingMessageAtMost() {
        let stream = ScriptedStream()
        let loop = loop(recording: stream) {
            stream.put(Array(repeating: .bytes(1, isAfterGap: false), count: 100))
            // The listener posts a message; the turn that ends with bytes left posts none.
            stream.give()
        }
        #expect(stream.offsets.count == 16, "other recordings have their turn after 16 chunks")
        #expect(mailbox.take().count == 1)
        loop.receive(.forget("main") {})
        #expect(stream.offsets.count == 100 && stream.isEnded)
    }

    @Test func aRecordingTakesAllReceivedBytes_whenTheItemChanges() {
        let stream = ScriptedStream(isLive: false, size: 1_000)
        let loop = loop(recording: stream) { [item] in
            stream.put(Array(repeating: .bytes(1, isAfterGap: false), count: 1_000) + [.over(.end)])
            item.update { $0 = "i2" }
        }
        loop.receive(.changed("main"))
        let last = board.status(of: "main").last
        #expect(last?.reason == .end && last?.successfully == true && last?.bytes == 1_000)
    }
}
