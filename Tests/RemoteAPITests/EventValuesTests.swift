// SPDX-License-Identifier: Apache-2.0

import HTTP
import Playback
import Testing
import Kernel

@testable import RemoteAPI

/// Builders of frames.
enum EventFixture {
    static func frame(
        _ text: String, _ name: EventName? = nil, sequence: UInt64? = nil, version: UInt64 = 0, bytes: Int = 100
    ) -> EventFrame {
        EventFrame(
            name: name, type: text, sequence: sequence, version: version,
            bytes: SharedBytes([UInt8](repeating: 32, count: bytes)))
    }

    static func event(
        _ sequence: UInt64, _ name: EventName = .settings, version: UInt64 = 0, bytes: Int = 100
    ) -> EventFrame {
        frame("\(sequence)", name, sequence: sequence, version: version, bytes: bytes)
    }
}

@Suite struct EventTimeTests {
    /// After the process was stopped, the first `time` event is sent before the player has read the clock again.
    @Test func positionAdvances_whileTheReadingIsValid() {
        var clock = PositionClock()
        (clock.position, clock.rate) = (10, 1)
        for (seconds, position) in [(0.5, 10.5), (60, 10 + EventEncoder.validity)] {
            let now = clock.sampledAt.advanced(bySeconds: seconds)
            #expect(clock.position(at: EventEncoder.end(of: clock, at: now)) == position)
        }
    }
}

@Suite struct EventJournalTests {
    private func record(_ journal: inout EventJournal, _ count: Int, bytes: Int = 10) {
        for _ in 0..<count {
            _ = journal.record { EventFixture.event($0, bytes: bytes) }
        }
    }

    @Test func numbersRiseByOne_andLaterEventsAreReturned() {
        var journal = EventJournal()
        #expect(journal.sequence == 0)
        #expect(journal.events(since: 0)?.isEmpty == true)
        record(&journal, 5)
        #expect(journal.events(since: 2)?.map(\.sequence) == [3, 4, 5])
        #expect(journal.events(since: 5)?.isEmpty == true)
        #expect(journal.events(since: 6) == nil, "a number that was never given")
    }

    @Test func aLaterPlayer_continuesTheNumbers() {
        var journal = EventJournal(after: 7)
        #expect(journal.sequence == 7 && journal.events(since: 7)?.isEmpty == true)
        record(&journal, 1)
        #expect(journal.events(since: 7)?.map(\.sequence) == [8])
        #expect(journal.events(since: 9) == nil, "a number that was never given")
    }

    @Test func oldestEventsAreDropped_byNumber() {
        var journal = EventJournal()
        record(&journal, 5 * EventJournal.maximumEvents)
        let first = journal.sequence - UInt64(EventJournal.maximumEvents)
        #expect(journal.events(since: first)?.count == EventJournal.maximumEvents)
        #expect(journal.events(since: first - 1) == nil)
    }

    @Test func oldestEventsAreDropped_byBytes_butNeverTheLast() {
        var journal = EventJournal()
        record(&journal, 20, bytes: EventJournal.maximumBytes / 10)
        #expect(journal.events(since: 10)?.count == 10)
        #expect(journal.events(since: 9) == nil)
        record(&journal, 1, bytes: 2 * EventJournal.maximumBytes)
        #expect(journal.events(since: 20)?.count == 1)
        #expect(journal.events(since: 19) == nil)
        record(&journal, 1)
        #expect(journal.events(since: 21)?.count == 1)
    }
}

@Suite struct TimeScheduleTests {
    private final class Member {}
    private let start = MonotonicTime(nanoseconds: 10_000_000_000)

    /// SPEC 8, 46, 153: in 10 s, none is missing and none is added.
    @Test func membersAreDue_atTheirInterval() {
        var schedule = TimeSchedule<Member>()
        let members = [1.0 / 30, 0.5, 1].map { interval in
            let member = Member()
            schedule.set(member, interval: interval, now: start)
            return member
        }
        var counts: [ObjectIdentifier: Int] = [:]
        var now = start
        while let next = schedule.nextDue, next.seconds(since: start) <= 10 {
            #expect(next > now)
            now = next
            for member in schedule.takeDue(now).joined() { counts[ObjectIdentifier(member), default: 0] += 1 }
        }
        #expect(members.map { counts[ObjectIdentifier($0)] } == [300, 20, 10])
    }

    @Test func equalIntervalsShareTheirTimes() {
        var schedule = TimeSchedule<Member>()
        let members = (0..<100).map { _ in Member() }
        for (index, member) in members.enumerated() {
            schedule.set(member, interval: 1, now: start.advanced(bySeconds: Double(index) / 100))
        }
        let groups = schedule.takeDue(start.advanced(bySeconds: 2))
        #expect(groups.count == 1 && groups[0].count == 100)
    }

    @Test func crowdsAreSpread() {
        var schedule = TimeSchedule<Member>()
        let members = (0..<4_000).map { _ in Member() }
        for member in members { schedule.set(member, interval: 1, now: start) }
        let groups = schedule.takeDue(start.advanced(bySeconds: 2))
        #expect(groups.count == TimeSchedule<Member>.phases)
        #expect(groups.map(\.count).max() == TimeSchedule<Member>.membersPerPhase)
        #expect(groups.joined().count == members.count)
    }

    @Test func membersLeave_andChangeTheirInterval() {
        var schedule = TimeSchedule<Member>()
        let members = (0..<10).map { _ in Member() }
        for member in members { schedule.set(member, interval: 1, now: start) }
        for member in members.prefix(3) { schedule.remove(member) }
        schedule.remove(members[0])
        schedule.set(members[9], interval: 5, now: start)
        let due = schedule.takeDue(start.advanced(bySeconds: 1)).joined().map(ObjectIdentifier.init)
        #expect(Set(due) == Set(members[3..<9].map(ObjectIdentifier.init)))
        for member in members { schedule.remove(member) }
        #expect(schedule.isEmpty && schedule.nextDue == nil)
    }

    @Test func missedTimesAreSkipped() {
        var schedule = TimeSchedule<Member>()
        let member = Member()
        schedule.set(member, interval: 1, now: start)
        let later = start.advanced(bySeconds: 100.5)
        #expect(schedule.takeDue(later).joined().count == 1)
        #expect(schedule.takeDue(later).isEmpty)
        schedule.realign(start.advanced(bySeconds: 200.5))
        #expect(schedule.nextDue == start.advanced(bySeconds: 201))
    }
}
