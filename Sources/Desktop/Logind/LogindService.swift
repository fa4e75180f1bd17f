// SPDX-License-Identifier: Apache-2.0

import Glibc
import Kernel
public import Logging
public import Service
import Synchronization

/// Follows the screen lock and the machine's sleep through systemd's login manager. A handle for any thread.
public final class LogindService: Sendable {
    private let inbox = Mailbox<LogindMessage>(descriptorFor: "logind")
    private let thread: Mutex<NamedThread?>

    /// Whether there is a system bus. False in most containers: then nothing is loaded and no thread runs.
    public static var isPossible: Bool {
        if let address = getenv("DBUS_SYSTEM_BUS_ADDRESS"), address.pointee != 0 { return true }
        // If systemd runs, logind does too, or will at the next login.
        return access("/run/dbus/system_bus_socket", F_OK) == 0 && access("/run/systemd/system", F_OK) == 0
    }

    public init(_ session: LiveSession, log: Logger) {
        let inbox = inbox
        thread = Mutex(NamedThread("logind") { LogindLoop(session: session, inbox: inbox, log: log).run() })
    }

    /// Takes at most 0.3 s, even if the bus hangs.
    public func stop() {
        inbox.post(.stop)
        thread.withLock { $0.take() }?.join(within: 0.3)
    }
}

/// Messages from other threads to the loop.
enum LogindMessage: Sendable {
    /// The players are silent: the machine may sleep.
    case silent
    case stop
}

/// The thread's loop. Waits for the bus and its inbox only.
final class LogindLoop {
    private let inbox: Mailbox<LogindMessage>
    private let session: LiveSession
    private let log: Logger
    private var policy = LoginPolicy(user: getuid())
    private lazy var link: BusLink<LogindConnection> = BusLink("system bus", log: log) {
        [unowned self] library throws(BusFailure) in
        try LogindConnection(library) { [unowned self] in received($0) }
    }

    init(session: LiveSession, inbox: Mailbox<LogindMessage>, log: Logger) {
        self.session = session
        self.inbox = inbox
        self.log = log
    }

    func run() {
        link.connect()
        while true {
            let messages = inbox.take()
            if messages.contains(.stop) { return }
            if messages.contains(.silent) { link.client?.letSleep() }
            if link.turn() { received(.lost) }
            link.wait(inbox.descriptor)
        }
    }

    private func received(_ report: LoginPolicy.Report) {
        if case .sessions = report { link.confirm() }
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
                link.attempt { connection throws(BusFailure) in try connection.delaySleep() }
            }
        }
    }
}
