// SPDX-License-Identifier: Apache-2.0

import Testing
import Kernel

@testable import Playback

@Suite struct CommandQueueTests {
    private let start = MonotonicTime(nanoseconds: 1_000_000_000)
    private let edit = PlayerCommand.edit(.clear)

    private func token(_ number: UInt64) -> CommandToken { CommandToken(number: number) }

    private func queue(_ commands: [PlayerCommand]) -> CommandQueue {
        var queue = CommandQueue()
        for (number, command) in commands.enumerated() { queue.append(command, token(UInt64(number))) }
        return queue
    }

    private func next(_ queue: inout CommandQueue, _ time: MonotonicTime) -> CommandToken? { queue.next(time)?.1 }
    private func take(_ queue: inout CommandQueue, _ save: UInt64) -> CommandToken? { queue.takeHeld(save: save)?.1 }

    private func prepared() -> PreparedChange { PreparedChange(command: edit, effect: .output(nil)) }

    @Test func laterCommandsWait_whileAChangeIsAtTheStore() {
        var queue = queue([edit, .next, edit])
        #expect(next(&queue, start) == token(0))
        queue.hold(prepared(), token(0), save: 7, since: start)
        #expect(next(&queue, start) == nil)
        #expect(take(&queue, 6) == nil)
        #expect(take(&queue, 7) == token(0))
        #expect(take(&queue, 7) == nil)
        #expect(next(&queue, start) == token(1))
    }

    @Test func transportOvertakes_whenTheStoreHangs() {
        var queue = queue([edit, edit, .pause, edit, .next])
        _ = queue.next(start)
        queue.hold(prepared(), token(0), save: 1, since: start)
        let later = start.advanced(bySeconds: CommandQueue.patience)
        #expect(queue.deadline == later)
        #expect(next(&queue, later) == token(2))
        #expect(next(&queue, later) == token(4))
        #expect(next(&queue, later) == nil)
        #expect(queue.deadline == start.advanced(bySeconds: CommandQueue.limit))
        _ = queue.takeHeld(save: 1)
        #expect(next(&queue, later) == token(1))
        #expect(next(&queue, later) == token(3))
    }

    @Test func commandsThatNeedSavingFail_whenTheStoreHangsForLong() {
        var queue = queue([edit, edit, .pause, edit])
        _ = queue.next(start)
        queue.hold(prepared(), token(0), save: 1, since: start)
        let late = start.advanced(bySeconds: CommandQueue.limit)
        #expect(queue.takeOverdue(late.advanced(bySeconds: -0.1)) == ([], nil))
        #expect(queue.takeOverdue(late) == ([token(1), token(3)], token(0)))
        #expect(next(&queue, late) == token(2))
        #expect(queue.takeOverdue(late) == ([], nil))
        // No more deadline: the change at the store waits for the store.
        #expect(queue.deadline == nil)
        #expect(take(&queue, 1) == token(0))
    }

    @Test func manyCommandsKeepTheirOrder() {
        var queue = CommandQueue()
        var expected: UInt64 = 0
        for number in 0..<10_000 {
            queue.append(.pause, token(UInt64(number)))
            if number % 3 != 0 {
                #expect(next(&queue, start) == token(expected))
                expected += 1
            }
        }
        while let found = next(&queue, start) {
            #expect(found == token(expected))
            expected += 1
        }
        #expect(expected == 10_000)
    }
}
