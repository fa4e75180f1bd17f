// SPDX-License-Identifier: Apache-2.0

import DBus
internal import Glibc
internal import Loading
import Logging
import Session
import Threading
internal import Numbers

/// The thread that listens to logind: connects, listens, and connects again. Waits on the bus and on its inbox only.
final class LogindLoop {
    private static let firstRetry = 0.5
    private static let longestRetry = 30.0

    private let inbox: LogindInbox
    private let session: any MachineListener
    private let log: Logger
    private var policy = LoginPolicy(user: getuid())
    private var connection: LogindConnection?
    private var retryAt = MonotonicTime.now
    private var retryDelay = firstRetry
    /// A connection must not be freed while it calls.
    private var lost: BusFailure?

    init(session: any MachineListener, inbox: LogindInbox, log: Logger) {
        self.session = session
        self.inbox = inbox
        self.log = log
    }

    func run() {
        let library: BusLibrary
        do throws(MissingLibrary) {
            library = try BusLibrary()
        } catch {
            return log.notice("no logind: libsystemd cannot be loaded", metadata: ["reason": "\(error.reason)"])
        }
        while true {
            let said = inbox.take()
            if said.contains(.stop) { return }
            if said.contains(.silent) { connection?.letSleep() }
            if let connection {
                attempt { () throws(BusFailure) in try connection.process() }
            } else if retryAt <= .now {
                connect(library)
            }
            if let failure = lost { connectionLost(failure) }
            wait()
        }
    }

    private func connect(_ library: BusLibrary) {
        attempt { () throws(BusFailure) in
            connection = try LogindConnection(library) { [unowned self] in
                received($0)
            } failed: { [unowned self] in
                lost = lost ?? $0
            }
        }
    }

    private func connectionLost(_ failure: BusFailure) {
        lost = nil
        connection = nil
        let reason = String(cString: strerror(-failure.code))
        log.debug("no system bus", metadata: ["call": "\(failure.call)", "reason": "\(reason)"])
        retryAt = .now.advanced(bySeconds: retryDelay)
        retryDelay = min(Self.longestRetry, retryDelay * 2)
        received(.lost)
    }

    private func attempt(_ body: () throws(BusFailure) -> Void) {
        guard lost == nil else { return }
        do throws(BusFailure) { try body() } catch { lost = error }
    }

    private func received(_ report: LoginPolicy.Report) {
        if case .sessions = report { retryDelay = Self.firstRetry }
        for notice in policy.receive(report) {
            switch notice {
            case .locked(let locked):
                log.info("the screen is \(locked ? "locked" : "unlocked")")
                session.receive(notice) {}
            case .asleep(true):
                log.info("the machine is about to sleep")
                session.receive(notice) { [inbox] in inbox.post(.silent) }
            case .asleep(false):
                log.info("the machine is awake")
                session.receive(notice) {}
                if let connection { attempt { () throws(BusFailure) in try connection.delaySleep() } }
            }
        }
    }

    private func wait() {
        var deadline: MonotonicTime? = retryAt
        var descriptors = [pollfd(fd: inbox.descriptor, events: Int16(POLLIN), revents: 0)]
        if let connection {
            attempt { () throws(BusFailure) in
                descriptors.append(pollfd(fd: connection.descriptor, events: try connection.events(), revents: 0))
            }
            if lost != nil { return }
            deadline = connection.deadline
        }
        let timeout = deadline.map { Int32(clamping: max(0, min(60_000, $0.seconds(since: .now) * 1000 + 1))) } ?? -1
        _ = poll(&descriptors, nfds_t(descriptors.count), timeout)
    }
}
