// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Testing
import Kernel
import KernelTesting

@testable import Service

@Suite struct SupervisedWorkerTests {
    private enum Outcome: Equatable { case done(Int), overdue(Int) }

    @Test func jobs_runInOrder() {
        let worker = SupervisedWorker("test")
        let log = Mailbox<Outcome>()
        for number in 0..<50 {
            #expect(worker.run(overdue: { log.post(.overdue(number)) }) { log.post(.done(number)) })
        }
        #expect(log.take(50) == (0..<50).map { .done($0) })
        worker.stop()
        #expect(!worker.run {})
    }

    @Test func otherJobsRun_whenOneHangs() {
        let worker = SupervisedWorker("test", seconds: 0.05)
        let log = Mailbox<Outcome>()
        let release = Mailbox<Void>()
        let returned = Mailbox<Void>()
        #expect(
            worker.run(overdue: { log.post(.overdue(1)) }) {
                _ = release.take(until: nil)
                returned.post(())
            })
        #expect(worker.run(overdue: { log.post(.overdue(2)) }) { log.post(.done(2)) })
        #expect(log.take(2) == [.overdue(1), .done(2)])
        release.post(())
        #expect(returned.take(until: .now.advanced(bySeconds: 5)).count == 1)
        worker.stop()
    }

    @Test func jobsAreRefused_whenTooManyHang_untilOneReturns() {
        let worker = SupervisedWorker("test", seconds: 0.02)
        let log = Mailbox<Outcome>()
        let release = Array((0..<SupervisedWorker.maximumStuck).map { _ in Mailbox<Void>() })
        for (number, gate) in release.enumerated() {
            #expect(worker.run(overdue: { log.post(.overdue(number)) }) { _ = gate.take(until: nil) })
        }
        #expect(log.take(release.count) == release.indices.map { .overdue($0) })
        #expect(!worker.run {})
        for gate in release { gate.post(()) }
        #expect(eventually { worker.run {} })
        worker.stop()
    }

    @Test func stop_doesNotWaitForAHangingJob() {
        let worker = SupervisedWorker("test", seconds: 60)
        let log = Mailbox<Outcome>()
        let begun = Mailbox<Void>()
        let release = Mailbox<Void>()
        #expect(
            worker.run(overdue: { log.post(.overdue(1)) }) {
                begun.post(())
                _ = release.take(until: nil)
            })
        _ = begun.take(until: .now.advanced(bySeconds: 5))
        let began = MonotonicTime.now
        worker.stop()
        #expect(MonotonicTime.now.seconds(since: began) < 5)
        #expect(log.take(1) == [.overdue(1)])
        release.post(())
    }

    @Test func jobsRunConcurrently_upToTheWidth() {
        let worker = SupervisedWorker("test", width: 3)
        let begun = Mailbox<Int>()
        let release = Mailbox<Void>()
        for number in 0..<5 {
            #expect(
                worker.take {
                    begun.post(number)
                    _ = release.take(until: .now.advanced(bySeconds: 10))
                })
        }
        // Three threads report in any order.
        #expect(Set(begun.take(3)) == [0, 1, 2])
        #expect(begun.take(until: .now.advanced(bySeconds: 0.05)).isEmpty)
        for _ in 0..<2 {
            release.post(())
            #expect(begun.take(1).count == 1)
        }
        release.post(())
        worker.stop()
    }

    @Test func aShare_isNotExceeded_andOtherJobsOvertake() {
        let worker = SupervisedWorker("test", width: 4)
        let begun = Mailbox<String>()
        let release = Mailbox<Void>()
        let slow = JobShare(name: "slow", running: 1)
        for number in 0..<4 {
            #expect(
                worker.take([slow]) {
                    begun.post("slow \(number)")
                    _ = release.take(until: .now.advanced(bySeconds: 10))
                })
        }
        #expect(worker.take { begun.post("quick") })
        #expect(Set(begun.take(2)) == ["slow 0", "quick"])
        for number in 1..<4 {
            release.post(())
            #expect(begun.take(1) == ["slow \(number)"])
        }
        release.post(())
        worker.stop()
    }

    @Test func anUnwantedJob_isDroppedWhileItWaits() {
        let worker = SupervisedWorker("test")
        let log = Mailbox<String>()
        let release = Mailbox<Void>()
        #expect(worker.take { _ = release.take(until: .now.advanced(bySeconds: 10)) })
        #expect(
            worker.take(isUnwanted: { true }) {
                log.post("ran")
            } giveUp: {
                log.post("\($0)")
            })
        // Before its turn.
        #expect(log.take(1) == ["unwanted"])
        release.post(())
        worker.stop()
        #expect(log.take(until: .now).isEmpty)
    }

    @Test func anUnwantedJob_isCancelledWhileItRuns() {
        let worker = SupervisedWorker("test")
        let isGone = Atomic(false)
        let log = Mailbox<String>()
        let release = Mailbox<Void>()
        #expect(
            worker.take(isUnwanted: { isGone.load(ordering: .relaxed) }) {
                log.post("begun")
                _ = release.take(until: .now.advanced(bySeconds: 10))
                log.post("ended")
            } giveUp: {
                log.post("\($0)")
                release.post(())
            })
        #expect(log.take(1) == ["begun"])
        isGone.store(true, ordering: .relaxed)
        #expect(log.take(2) == ["unwanted", "ended"])
        worker.stop()
    }

    @Test func anUnwantedJobThatHangs_isReplacedAtItsDeadline() {
        // Callers are checked long before the deadline.
        let worker = SupervisedWorker("test", seconds: SupervisedWorker.lookSeconds + 5)
        let isGone = Atomic(false)
        let log = Mailbox<String>()
        let release = Mailbox<Void>()
        #expect(
            worker.take(isUnwanted: { isGone.load(ordering: .relaxed) }) {
                isGone.store(true, ordering: .relaxed)
                _ = release.take(until: nil)
            } giveUp: {
                log.post("\($0)")
            })
        #expect(worker.take { log.post("next") })
        #expect(log.take(2) == ["unwanted", "next"])
        release.post(())
        worker.stop()
    }

    @Test func withoutALimit_eachJobIsReleasedBeforeTheCallAfterIt() {
        let log = Mailbox<String>()
        let worker = SupervisedWorker("test", seconds: nil, afterEach: { log.post("after") })
        let release = Mailbox<Void>()
        #expect(worker.submit { _ = release.take(until: .now.advanced(bySeconds: 10)) })
        for number in 0..<2 {
            let held = OnRelease { log.post("gone \(number)") }
            #expect(worker.submit { withExtendedLifetime(held) { _ = log.post("job \(number)") } })
        }
        // Now only the worker holds the jobs.
        release.post(())
        #expect(log.take(7) == ["after", "job 0", "gone 0", "after", "job 1", "gone 1", "after"])
        worker.stop()
    }

    @Test func stop_dropsWaitingJobs_andWaitsForTheRunningOne() {
        let worker = SupervisedWorker("test", seconds: nil)
        let log = Mailbox<String>()
        let (begun, release) = (Mailbox<Void>(), Mailbox<Void>())
        #expect(
            worker.submit {
                begun.post(())
                _ = release.take(until: .now.advanced(bySeconds: 10))
                log.post("ran")
            })
        #expect(worker.submit { log.post("waited") })
        #expect(begun.take(1).count == 1)
        worker.beginStop()
        #expect(!worker.submit {})
        release.post(())
        worker.stop(until: .now.advanced(bySeconds: 10))
        #expect(log.take(until: .now) == ["ran"])
    }
}

extension SupervisedWorker {
    fileprivate func run(
        overdue: @escaping @Sendable () -> Void = {}, _ body: @escaping @Sendable () -> Void
    ) -> Bool {
        submit(Job(run: body, giveUp: { _ in overdue() }))
    }

    fileprivate func take(
        _ shares: [JobShare] = [], isUnwanted: @escaping @Sendable () -> Bool = { false },
        _ run: @escaping @Sendable () -> Void, giveUp: @escaping @Sendable (Reason) -> Void = { _ in }
    ) -> Bool {
        submit(Job(shares: shares, isUnwanted: isUnwanted, run: run, giveUp: giveUp))
    }
}

/// Calls when its last reference is released.
private final class OnRelease: Sendable {
    private let call: @Sendable () -> Void

    init(_ call: @escaping @Sendable () -> Void) { self.call = call }

    deinit { call() }
}
