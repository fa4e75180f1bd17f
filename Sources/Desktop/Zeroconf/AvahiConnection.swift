// SPDX-License-Identifier: Apache-2.0

internal import Kernel

/// One connection to the system bus that announces a service through Avahi (`org.freedesktop.Avahi`). Avahi withdraws the
/// service when the connection ends. Belongs to one thread.
final class AvahiConnection: BusClient {
    private static let name = "org.freedesktop.Avahi"
    private static let server = "org.freedesktop.Avahi.Server"
    private static let group = "org.freedesktop.Avahi.EntryGroup"
    /// States of Avahi's server and of an entry group (avahi-common/defs.h).
    private static let running: Int32 = 2
    private static let collision: Int32 = 3
    /// Maximum number of services with one name on a network; more indicate a loop of renaming.
    private static let mostNames = 20

    let bus: Bus
    private let service: AnnouncedService
    private let confirmed: () -> Void
    /// The object path of our entry group, once Avahi has created it.
    private var entry: String?
    private var number = 1

    init(_ library: BusLibrary, _ service: AnnouncedService, confirmed: @escaping () -> Void) throws(BusFailure) {
        (self.service, self.confirmed) = (service, confirmed)
        bus = try Bus(.system, library)
        bus.onSignal = { [unowned self] signal throws(BusFailure) in try received(signal) }
        for interface in [Self.server, Self.group] {
            try bus.match("type='signal',sender='\(Self.name)',interface='\(interface)',member='StateChanged'")
        }
        try bus.match(
            "type='signal',sender='org.freedesktop.DBus',member='NameOwnerChanged',arg0='\(Self.name)'")
        try begin()
    }

    private func begin() throws(BusFailure) {
        entry = nil
        number = 1
        try bus.call(Self.name, "/", Self.server, "EntryGroupNew") { [unowned self] reply throws(BusFailure) in
            confirmed()
            // An error means that Avahi does not run; a signal reports its start.
            guard !reply.isError, case .path(let path)? = try reply.values(["o"]).first else { return }
            entry = path
            try add()
        }
    }

    /// Announces the service on all interfaces, with the machine's own host name.
    private func add() throws(BusFailure) {
        let arguments: [BusValue] = [
            .int32(-1), .int32(-1), .uint32(0), .text(service.label(number)), .text(service.type), .text(""), .text(""),
            .uint16(service.port), .byteStrings(service.texts),
        ]
        try callEntry("AddService", arguments) { [unowned self] reply throws(BusFailure) in
            // The name is in use on this machine.
            if reply.isError { return try rename() }
            try callEntry("Commit") { _ in }
        }
    }

    private func rename() throws(BusFailure) {
        guard number < Self.mostNames else { return }
        number += 1
        try renew()
    }

    private func renew() throws(BusFailure) {
        try callEntry("Reset") { [unowned self] _ throws(BusFailure) in try add() }
    }

    private func callEntry(
        _ member: String, _ arguments: [BusValue] = [],
        then: @escaping (BusMessage) throws(BusFailure) -> Void
    ) throws(BusFailure) {
        guard let entry else { return }
        try bus.call(Self.name, entry, Self.group, member, arguments, answer: then)
    }

    private func received(_ signal: BusMessage) throws(BusFailure) {
        if signal.member == "NameOwnerChanged" {
            guard case .text(let owner)? = try signal.values(["s", "s", "s"]).last else { return }
            entry = nil
            if !owner.isEmpty { try begin() }
            return
        }
        guard signal.signature.hasPrefix("i"), case .int32(let state)? = try signal.values(["i"]).first else {
            return
        }
        switch signal.interface {
        // The machine's host name has changed, and entries refer to it.
        case Self.server: if state == Self.running { try renew() }
        // The name is in use on another machine.
        case Self.group: if state == Self.collision, signal.path == entry { try rename() }
        default: break
        }
    }
}
