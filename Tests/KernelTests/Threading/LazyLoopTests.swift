// SPDX-License-Identifier: Apache-2.0

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
        let refused = Mailbox<(Message, LazyLoop<Message>.Refusal)>()
        let loop: LazyLoop<Message>

        init() {
            loop = LazyLoop("test") { [refused] in
                refused.post(($0, $1))
            } run: { [begun, taken] mailbox in
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

    @Test func beginsWithTheFirstMessage_once() {
        let rig = Rig()
        #expect(!rig.loop.isBegun && !rig.loop.postIfBegun(.number(0)))
        for number in 1...3 { rig.loop.post(.number(number)) }
        #expect(rig.loop.isBegun && rig.loop.postIfBegun(.number(4)))
        #expect(rig.taken.take(4) == [1, 2, 3, 4])
        rig.loop.shutdown(.last, within: 10)
        #expect(rig.begun.close().count == 1 && rig.refused.close().isEmpty)
    }

    @Test func withoutAThread_itRefuses_andTriesAgain() {
        let rig = Rig()
        NamedThread.$isRefused.withValue(true) { rig.loop.post(.number(1)) }
        #expect(rig.refused.close().map(\.1) == [.noThread] && !rig.loop.isBegun)
        rig.loop.post(.number(2))
        #expect(rig.taken.take(1) == [2], "a refused message is not taken later")
        rig.loop.shutdown(.last, within: 10)
    }

    @Test(arguments: [false, true])
    func afterTheLastMessage_itRefuses(isEndedFirst: Bool) {
        let rig = Rig()
        rig.loop.post(.number(1))
        if isEndedFirst { #expect(rig.loop.end(with: .last)) } else { rig.loop.shutdown(.last, within: 10) }
        rig.loop.post(.number(2))
        #expect(!rig.loop.postIfBegun(.number(3)) && !rig.loop.end(with: .last))
        rig.loop.shutdown(.last, within: 10)
        #expect(rig.taken.close() == [1])
        let refused = rig.refused.close()
        #expect(refused.map(\.0) == [.number(2)] && refused.map(\.1) == [.ended])
    }

    @Test(arguments: [false, true])
    func endedBeforeItBegan_itNeverBegins(isEndedFirst: Bool) {
        let rig = Rig()
        if isEndedFirst { #expect(!rig.loop.end(with: .last)) }
        rig.loop.shutdown(.last, within: 10)
        rig.loop.post(.number(1))
        #expect(rig.refused.close().map(\.0) == [.last, .number(1)])
        #expect(rig.begun.close().isEmpty)
    }

    /// Its thread is abandoned: it finishes its work and takes nothing more.
    @Test func aLoopThatHangs_isNotWaitedFor_andItsMessagesAreRefused() {
        let (begun, goOn, ended) = (Mailbox<Void>(), Mailbox<Void>(), Mailbox<[Message]>())
        let refused = Mailbox<Message>()
        let loop = LazyLoop<Message>("test") { message, _ in
            refused.post(message)
        } run: { mailbox in
            let first = mailbox.take(until: nil)
            begun.post(())
            _ = goOn.take(until: nil)
            ended.post(first)
        }
        loop.post(.number(1))
        begun.answer()
        loop.post(.number(2))
        let start = MonotonicTime.now
        loop.shutdown(.last, within: 0.05)
        #expect(refused.take(until: .now) == [.number(2), .last])
        #expect(MonotonicTime.now.seconds(since: start) >= 0.05)
        goOn.post(())
        #expect(ended.answer() == [.number(1)])
    }
}
