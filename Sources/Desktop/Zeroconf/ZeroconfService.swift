// SPDX-License-Identifier: Apache-2.0

import Glibc
import Kernel
public import Logging
import Synchronization

/// Announces a service on the local network through Avahi until `stop`. A handle for any thread.
public final class ZeroconfService: Sendable {
    /// Any message ends the loop.
    private let inbox = Mailbox<Void>(descriptorFor: "zeroconf")
    private let thread: Mutex<NamedThread?>

    /// Whether there is a system bus. False in most containers: then nothing is loaded and no thread runs.
    public static var isPossible: Bool {
        if let address = getenv("DBUS_SYSTEM_BUS_ADDRESS"), address.pointee != 0 { return true }
        return access("/run/dbus/system_bus_socket", F_OK) == 0
    }

    public init(name: String, type: String, port: UInt16, properties: [String], log: Logger) {
        let inbox = inbox
        let service = AnnouncedService(name: name, type: type, port: port, properties: properties)
        thread = Mutex(NamedThread("zeroconf") { ZeroconfLoop(service, inbox, log: log).run() })
    }

    /// Takes at most 0.3 s, even if the bus hangs.
    public func stop() {
        inbox.post(())
        thread.withLock { $0.take() }?.join(within: 0.3)
    }
}

/// The thread's loop. Waits for the bus and its inbox only.
private final class ZeroconfLoop {
    private let inbox: Mailbox<Void>
    private let service: AnnouncedService
    private let log: Logger
    private lazy var link: BusLink<AvahiConnection> = BusLink("system bus", log: log) {
        [unowned self] library throws(BusFailure) in
        try AvahiConnection(library, service) { [unowned self] in link.confirm() }
    }

    init(_ service: AnnouncedService, _ inbox: Mailbox<Void>, log: Logger) {
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

/// A DNS-SD service (RFC 6763).
struct AnnouncedService {
    /// Numbered if another service of this type has the same name.
    var name: String
    var type: String
    var port: UInt16
    /// `key=value`, each at most 255 bytes.
    var properties: [String]

    /// The label of the `number`th service with this name, at most 63 bytes.
    func label(_ number: Int) -> String {
        let suffix = number > 1 ? " #\(number)" : ""
        return Self.prefix(of: name, bytes: 63 - suffix.utf8.count) + suffix
    }

    /// The TXT strings as bytes.
    var texts: [[UInt8]] { properties.map { Array(Self.prefix(of: $0, bytes: 255).utf8) } }

    private static func prefix(of text: String, bytes: Int) -> String {
        var (short, length) = (String.UnicodeScalarView(), 0)
        for scalar in text.unicodeScalars {
            length += String(scalar).utf8.count
            if length > bytes { break }
            short.append(scalar)
        }
        return String(short)
    }
}
