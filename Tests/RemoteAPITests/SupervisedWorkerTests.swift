// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Testing
import Threading

@testable import RemoteAPI

@Suite struct SupervisedWorkerTests {
    private enum Outcome: Equatable { case done(Int), overdue(Int) }

    private func outcomes(_ mailbox: Mailbox<Outcome>, _ count: Int) -> [Outcome] {
        var all: [Outcome] = []
        let deadline = MonotonicTime.now.advanced(bySeconds: 10)
        while all.count < count, MonotonicTime.now < deadline { all += mailbox.take(until: deadline) }
        return all
    }

    @Test func jobsRunInTheirOrder() {
        let worker = SupervisedWorker("test")
        let log = Mailbox<Outcome>()
        for number in 0..<50 {
            #expect(
                worker.submit {
                    log.post(.done(number))
                } overdue: {
                    log.post(.overdue(number))
                })
        }
        #expect(outcomes(log, 50) == (0..<50).map { .done($0) })
        worker.stop()
        #expect(
            !worker.submit {
            } overdue: {
            })
    }

    @Test func othersGoOn_whenOneHangs() {
        let worker = SupervisedWorker("test", seconds: 0.05)
        let log = Mailbox<Outcome>()
        let release = Mailbox<Void>()
        let returned = Mailbox<Void>()
        #expect(
            worker.submit {
                _ = release.take(until: nil)
                returned.post(())
            } overdue: {
                log.post(.overdue(1))
            })
        #expect(
            worker.submit {
                log.post(.done(2))
            } overdue: {
                log.post(.overdue(2))
            })
        #expect(outcomes(log, 2) == [.overdue(1), .done(2)])
        release.post(())
        #expect(returned.take(until: .now.advanced(bySeconds: 5)).count == 1)
        worker.stop()
    }

    @Test func refuses_whenTooManyHang_andRecovers() {
        let worker = SupervisedWorker("test", seconds: 0.02)
        let log = Mailbox<Outcome>()
        let release = Array((0..<SupervisedWorker.maximumStuck).map { _ in Mailbox<Void>() })
        for (number, gate) in release.enumerated() {
            #expect(
                worker.submit {
                    _ = gate.take(until: nil)
                } overdue: {
                    log.post(.overdue(number))
                })
        }
        #expect(outcomes(log, release.count) == release.indices.map { .overdue($0) })
        #expect(
            !worker.submit {
            } overdue: {
            })
        for gate in release { gate.post(()) }
        let deadline = MonotonicTime.now.advanced(bySeconds: 10)
        var isTaken = false
        while !isTaken, MonotonicTime.now < deadline {
            isTaken = worker.submit {
            } overdue: {
            }
        }
        #expect(isTaken)
        worker.stop()
    }

    @Test func stopDoesNotWait_forAJobThatHangs() {
        let worker = SupervisedWorker("test", seconds: 60)
        let log = Mailbox<Outcome>()
        let begun = Mailbox<Void>()
        let release = Mailbox<Void>()
        #expect(
            worker.submit {
                begun.post(())
                _ = release.take(until: nil)
            } overdue: {
                log.post(.overdue(1))
            })
        _ = begun.take(until: .now.advanced(bySeconds: 5))
        let began = MonotonicTime.now
        worker.stop()
        #expect(MonotonicTime.now.seconds(since: began) < 5)
        #expect(outcomes(log, 1) == [.overdue(1)])
        release.post(())
    }
}
