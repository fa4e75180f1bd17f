// SPDX-License-Identifier: Apache-2.0

import HTTP
import Testing

@testable import RemoteAPI

@Suite struct OutboxTests {
    private func outbox() -> Outbox { Outbox(selection: .usual) }

    /// The types of all waiting frames, including `resync` and `heartbeat`.
    private func drain(_ outbox: inout Outbox) -> [String] {
        var all: [String] = []
        while all.count < 2_000 {
            switch outbox.next() {
            case .frame(let frame): all.append(frame.type)
            case .resync: return all + ["resync"]
            case .heartbeat: all.append("heartbeat")
            case .none: return all
            }
        }
        return all
    }

    @Test func eventsKeepTheirOrder_amongReplies() {
        var box = outbox()
        _ = box.append(EventFixture.event(1))
        _ = box.keep(EventFixture.frame("reply"))
        _ = box.append(EventFixture.event(2))
        #expect(drain(&box) == ["1", "reply", "2"])
    }

    @Test func eventsKeepTheirOrder_forASlowClient() {
        var box = outbox()
        var taken: [String] = []
        for number in UInt64(1)...1_000 {
            _ = box.append(EventFixture.event(number))
            guard number > 3, case .frame(let frame) = box.next() else { continue }
            taken.append(frame.type)
        }
        #expect(taken + drain(&box) == (1...1_000).map(String.init))
    }

    @Test func wakesOnce_untilEverythingIsRead() {
        var box = outbox()
        #expect(drain(&box).isEmpty)
        let woken1 = box.append(EventFixture.event(1))
        #expect(woken1)
        let woken2 = box.append(EventFixture.event(2))
        #expect(!woken2)
        let woken3 = box.setHeartbeat()
        #expect(!woken3)
        #expect(drain(&box) == ["1", "2", "heartbeat"])
        let woken4 = box.setHeartbeat()
        #expect(woken4)
    }

    @Test func timeAndBufferAreLatestOnly() {
        var box = outbox()
        for version in 1...1_000 {
            _ = box.set(EventFixture.frame("time \(version)", .time, version: UInt64(version)))
            _ = box.set(EventFixture.frame("buffer \(version)", .buffer, version: UInt64(version)))
        }
        let woken5 = box.set(EventFixture.frame("old", .time, version: 3))
        #expect(!woken5)
        #expect(drain(&box) == ["time 1000", "buffer 1000"])
    }

    @Test func outdatedTimeIsDropped() {
        var box = outbox()
        _ = box.set(EventFixture.frame("time", .time, version: 4))
        _ = box.append(EventFixture.event(1, .item, version: 5))
        let woken6 = box.set(EventFixture.frame("time", .time, version: 4))
        #expect(!woken6)
        #expect(drain(&box) == ["1"])
        _ = box.set(EventFixture.frame("new time", .time, version: 5))
        #expect(drain(&box) == ["new time"])
    }

    @Test func lastTimeOfAnItem_precedesItsCompletion() {
        var box = outbox()
        _ = box.set(EventFixture.frame("end of a", .time, version: 4))
        _ = box.append(EventFixture.event(1, .completed, version: 4))
        _ = box.append(EventFixture.event(2, .item, version: 4))
        _ = box.set(EventFixture.frame("begin of b", .time, version: 4))
        #expect(drain(&box) == ["end of a", "1", "2", "begin of b"])
    }

    @Test func versionsNeverFall_acrossKindsOfFrames() {
        var box = outbox()
        _ = box.set(EventFixture.frame("session 3", .session, version: 3))
        _ = box.set(EventFixture.frame("time 4", .time, version: 4))
        _ = box.append(EventFixture.event(5, .settings, version: 5))
        _ = box.set(EventFixture.frame("buffer 6", .buffer, version: 6))
        _ = box.append(EventFixture.event(7, .settings, version: 7))
        _ = box.set(EventFixture.frame("cache 7", .cache, version: 7))
        #expect(drain(&box) == ["session 3", "time 4", "5", "buffer 6", "7", "cache 7"])
    }

    @Test(arguments: [(Outbox.maximumEvents, 100), (10, Outbox.maximumBytes / 10)])
    func isBounded_andRequestsAResync(_ count: Int, _ bytes: Int) {
        var box = outbox()
        _ = box.keep(EventFixture.frame("reply"))
        for number in 1...count { _ = box.append(EventFixture.event(UInt64(number), bytes: bytes)) }
        #expect(box.takeLostCount() == 0)
        for number in count + 1...count + 50 { _ = box.append(EventFixture.event(UInt64(number), bytes: bytes)) }
        #expect(box.takeLostCount() == count + 50)
        // Replies are kept; events are not.
        #expect(drain(&box) == ["reply", "resync"])
        let known = UInt64(count + 50)
        box.begin(after: known, [EventFixture.frame("resync"), EventFixture.frame("snapshot")])
        _ = box.append(EventFixture.event(known))
        _ = box.append(EventFixture.event(known + 1))
        #expect(drain(&box) == ["resync", "snapshot", "\(known + 1)"])
    }

    @Test func readEventsFreeTheirSpace() {
        var box = outbox()
        for number in 1...10_000 {
            _ = box.append(EventFixture.event(UInt64(number), bytes: 50_000))
            guard case .frame(let frame) = box.next() else { return #expect(Bool(false), "lost at \(number)") }
            #expect(frame.sequence == UInt64(number))
        }
        #expect(box.takeLostCount() == 0)
    }

    @Test func onlySelectedEventsAreKept() {
        var box = Outbox(selection: EventSelection([.queue]))
        let woken7 = box.append(EventFixture.event(1, .settings))
        #expect(!woken7)
        _ = box.append(EventFixture.event(2, .queue))
        let woken8 = box.set(EventFixture.frame("time", .time, version: 1))
        #expect(!woken8)
        #expect(drain(&box) == ["2"])
    }

    @Test func bytesOfRepliesAreCounted_untilTheyAreRead() {
        var box = Outbox(selection: EventSelection([]))
        let frame = EventFixture.frame("reply")
        for _ in 0..<3 { _ = box.keep(frame) }
        #expect(box.keptBytes == 3 * frame.bytes.bytes.count)
        _ = box.next()
        #expect(box.keptBytes == 2 * frame.bytes.bytes.count)
        while case .frame = box.next() {}
        #expect(box.keptBytes == 0)
    }
}
