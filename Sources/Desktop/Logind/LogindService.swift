// SPDX-License-Identifier: Apache-2.0

internal import Glibc
public import Logging
public import Service
internal import Synchronization
internal import Kernel

/// Listens to systemd's login manager: the screen's lock, and sleep. A handle for any thread.
public final class LogindService: Sendable {
    private let inbox = Mailbox<LogindMessage>(descriptorFor: "logind")
    private let thread: Mutex<NamedThread?>

    /// There is a system bus. False in most containers: then nothing is loaded and nothing runs.
    public static var isPossible: Bool {
        if let address = getenv("DBUS_SYSTEM_BUS_ADDRESS"), address.pointee != 0 { return true }
        // Where systemd runs as well, logind does, or will when somebody logs in.
        return access("/run/dbus/system_bus_socket", F_OK) == 0 && access("/run/systemd/system", F_OK) == 0
    }

    public init(_ session: LiveSession, log: Logger) {
        let inbox = inbox
        thread = Mutex(NamedThread("logind") { LogindLoop(session: session, inbox: inbox, log: log).run() })
    }

    /// Within 0.3 s, whatever the bus does.
    public func stop() {
        inbox.post(.stop)
        thread.withLock { $0.take() }?.join(within: 0.3)
    }
}
