// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Kernel
public import Logging
internal import Synchronization

/// Announces a service on the local network through Avahi, as long as it runs. A handle for any thread.
public final class ZeroconfService: Sendable {
    private let inbox = Mailbox<ZeroconfMessage>(descriptorFor: "zeroconf")
    private let thread: Mutex<NamedThread?>

    /// There is a system bus. False in most containers: then nothing is loaded and nothing runs.
    public static var isPossible: Bool {
        if let address = getenv("DBUS_SYSTEM_BUS_ADDRESS"), address.pointee != 0 { return true }
        return access("/run/dbus/system_bus_socket", F_OK) == 0
    }

    public init(_ service: AnnouncedService, log: Logger) {
        let inbox = inbox
        thread = Mutex(NamedThread("zeroconf") { ZeroconfLoop(service, inbox, log: log).run() })
    }

    /// Within 0.3 s, whatever the bus does.
    public func stop() {
        inbox.post(.stop)
        thread.withLock { $0.take() }?.join(within: 0.3)
    }
}

enum ZeroconfMessage: Sendable { case stop }

/// The thread that keeps the announcement. Waits on the bus and on its inbox only.
private final class ZeroconfLoop {
    private let inbox: Mailbox<ZeroconfMessage>
    private let service: AnnouncedService
    private let log: Logger
    private lazy var link: BusLink<AvahiConnection> = BusLink("system bus", log: log) {
        [unowned self] library throws(BusFailure) in
        try AvahiConnection(library, service) { [unowned self] in
            link.confirm()
        } failed: { [unowned self] in
            link.fail($0)
        }
    }

    init(_ service: AnnouncedService, _ inbox: Mailbox<ZeroconfMessage>, log: Logger) {
        self.service = service
        self.inbox = inbox
        self.log = log
    }

    func run() {
        link.connect()
        while inbox.take().isEmpty {
            _ = link.turn()
            link.wait(inbox.descriptor)
        }
    }
}
