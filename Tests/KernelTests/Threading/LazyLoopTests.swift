// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Testing
import Kernel
import KernelTesting

@Suite struct LazyLoopTests {
    private enum Message: Equatable {
        case number(Int)
        case last
    }

    /// A loop that takes messages up to the last one, and reports them.
    private struct Rig {
        let begun = Mailbox<Void>()
        let taken = Mailbox<Int>()
        let loop: LazyLoop<Message>

        init() {
            loop = LazyLoop("test") { [begun, taken] mailbox in
                begun.post(())
                while true {
                    for message in mailbox.take(until: nil) {
                        guard case .number(let number) = message else { return }
                        taken.post(number)
                    }
                }
            }
        }
    }

    @Test func beginsWithTheFirstMessage_once() throws {
        let rig = Rig()
        #expect(!rig.loop.isBegun && !rig.loop.postIfBegun(.number(0)))
        for number in 1...3 { try rig.loop.post(.number(number)) }
        #expect(rig.loop.isBegun && rig.loop.postIfBegun(.number(4)))
        #expect(rig.taken.take(4) == [1, 2, 3, 4])
        #expect(rig.loop.shutdown(.last, within: 10) == [])
        #expect(rig.begun.close().count == 1)
    }

    @Test func withoutAThread_refuses_andTriesAgain() throws {
        let rig = Rig()
        #expect(throws: LazyLoop<Message>.Refusal.noThread) {
            try NamedThread.$isRefused.withValue(true) { try rig.loop.post(.number(1)) }
        }
        #expect(!rig.loop.isBegun)
        try rig.loop.post(.number(2))
        #expect(rig.taken.take(1) == [2], "a refused message does not arrive later")
        #expect(rig.loop.shutdown(.last, within: 10) == [])
    }

    @Test func afterTheEnd_refuses() throws {
        let rig = Rig()
        try rig.loop.post(.number(1))
        #expect(rig.loop.shutdown(.last, within: 10) == [])
        #expect(throws: LazyLoop<Message>.Refusal.ended) { try rig.loop.post(.number(2)) }
        #expect(!rig.loop.postIfBegun(.number(3)))
        #expect(rig.taken.take(1) == [1])
        #expect(rig.loop.shutdown(.last, within: 10) == [], "a second time")
    }

    @Test func shutDownBeforeTheStart_neverStarts() {
        let rig = Rig()
        #expect(rig.loop.shutdown(.last, within: 10) == [.last])
        #expect(throws: LazyLoop<Message>.Refusal.ended) { try rig.loop.post(.number(1)) }
        #expect(rig.begun.close().isEmpty)
    }

    /// The thread is left behind: it ends after its work and takes no more messages.
    @Test func aHangingLoop_isAbandoned_andItsUntakenMessagesAreReturned() throws {
        let (begun, goOn, ended) = (Mailbox<Void>(), Mailbox<Void>(), Mailbox<[Message]>())
        let loop = LazyLoop<Message>("test") { mailbox in
            let first = mailbox.take(until: nil)
            begun.post(())
            _ = goOn.take(until: nil)
            ended.post(first)
        }
        try loop.post(.number(1))
        begun.answer()
        try loop.post(.number(2))
        let start = MonotonicTime.now
        #expect(loop.shutdown(.last, within: 0.05) == [.number(2), .last])
        #expect(MonotonicTime.now.seconds(since: start) >= 0.05)
        goOn.post(())
        #expect(ended.answer() == [.number(1)])
    }
}
