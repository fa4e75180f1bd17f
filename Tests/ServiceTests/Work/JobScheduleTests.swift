// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Service

@Suite struct JobScheduleTests {
    private func schedule(width: Int = 4, waiting: Int = 8) -> JobSchedule<Int> {
        JobSchedule(width: width, maximumWaiting: waiting)
    }

    private func begun(_ schedule: inout JobSchedule<Int>) -> [Int] {
        var jobs: [Int] = []
        while let entry = schedule.begin() { jobs.append(entry.job) }
        return jobs
    }

    private func added(_ schedule: inout JobSchedule<Int>, _ jobs: [(Int, [JobShare])]) -> [Bool] {
        var results: [Bool] = []
        for (job, shares) in jobs { results.append(schedule.add(job, shares)) }
        return results
    }

    @Test func jobsBegin_inOrder_upToTheWidth() {
        var schedule = schedule(width: 2)
        #expect(added(&schedule, (0..<3).map { ($0, []) }).allSatisfy { $0 })
        #expect(begun(&schedule) == [0, 1])
        schedule.end([])
        #expect(begun(&schedule) == [2])
    }

    @Test func jobsTakeTurns_withinAShare() {
        var schedule = schedule()
        let one = JobShare(name: "one", running: 2)
        #expect(added(&schedule, (0..<4).map { ($0, [one]) }).allSatisfy { $0 })
        #expect(added(&schedule, [(9, [])]) == [true])
        #expect(begun(&schedule) == [0, 1, 9])
        schedule.end([one])
        #expect(begun(&schedule) == [2])
    }

    @Test func jobsKeepTheirOrder_inAShareWithOneAtATime() {
        var schedule = schedule()
        let server = JobShare(name: "server", running: 1)
        let channel = JobShare(name: "channel", running: 1)
        #expect(added(&schedule, [(0, [server])]) == [true])
        #expect(begun(&schedule) == [0])
        // The first job of the channel waits for the server; the second could begin, but does not overtake it.
        #expect(added(&schedule, [(1, [server, channel]), (2, [channel]), (3, [])]) == [true, true, true])
        #expect(begun(&schedule) == [3])
        schedule.end([server])
        #expect(begun(&schedule) == [1])
        schedule.end([server, channel])
        #expect(begun(&schedule) == [2])
    }

    @Test func jobsAreRefused_whenTooManyWait_inTotalOrInAShare() {
        var schedule = schedule(width: 1, waiting: 4)
        let one = JobShare(name: "one", running: 1, waiting: 2)
        #expect(added(&schedule, [(0, [one]), (1, [one]), (2, [one])]) == [true, true, false])
        #expect(added(&schedule, [(3, []), (4, []), (5, [])]) == [true, true, false])
        let first = schedule.waiting[0].id
        let withdrawn = [schedule.withdraw(first)?.job, schedule.withdraw(first)?.job]
        #expect(withdrawn == [0, nil])
        #expect(added(&schedule, [(6, [one])]) == [true])
    }
}
