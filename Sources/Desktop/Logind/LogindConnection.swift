// SPDX-License-Identifier: Apache-2.0

internal import Glibc
import Service
import Kernel

/// One connection to the system bus, to systemd's login manager (`org.freedesktop.login1`). Belongs to one thread.
final class LogindConnection: BusClient {
    private static let name = "org.freedesktop.login1"
    private static let manager = "org.freedesktop.login1.Manager"
    private static let managerPath = "/org/freedesktop/login1"
    private static let session = "org.freedesktop.login1.Session"
    private static let properties = "org.freedesktop.DBus.Properties"

    let bus: Bus
    private let report: (LoginPolicy.Report) -> Void
    /// While this descriptor is open, the machine delays its sleep (by 5 s at most, logind's default).
    private var inhibitor: Int32 = -1
    /// The list in progress, with its number of pending answers. A newer list replaces it.
    private var listing = Listing(number: 0)

    private struct Listing {
        var number: Int
        var sessions: [LoginSession] = []
        var open = 0
    }

    init(_ library: BusLibrary, report: @escaping (LoginPolicy.Report) -> Void) throws(BusFailure) {
        self.report = report
        bus = try Bus(.system, library)
        bus.onSignal = { [unowned self] signal throws(BusFailure) in try received(signal) }
        // The bus guarantees the sender.
        for rule in [
            "interface='\(Self.manager)',member='PrepareForSleep'", "interface='\(Self.manager)',member='SessionNew'",
            "interface='\(Self.manager)',member='SessionRemoved'", "interface='\(Self.session)'",
            "interface='\(Self.properties)',member='PropertiesChanged',arg0='\(Self.session)'",
        ] {
            try bus.match("type='signal',sender='\(Self.name)'," + rule)
        }
        try bus.match(
            "type='signal',sender='org.freedesktop.DBus',member='NameOwnerChanged',arg0='\(Self.name)'")
        try begin()
    }

    deinit { letSleep() }

    // MARK: Requests

    /// Requests the present state; signals report changes.
    private func begin() throws(BusFailure) {
        try listSessions()
        try bus.call(
            Self.name, Self.managerPath, Self.properties, "Get", [.text(Self.manager), .text("PreparingForSleep")]
        ) { [unowned self] reply throws(BusFailure) in
            guard !reply.isError, case .flag(let isPreparing)? = try reply.values(["v"]).first else { return }
            report(.asleep(isPreparing))
        }
        try delaySleep()
    }

    /// Requests a delay of the machine's sleep, for the players to become silent. logind may deny it.
    func delaySleep() throws(BusFailure) {
        guard inhibitor < 0 else { return }
        try bus.call(
            Self.name, Self.managerPath, Self.manager, "Inhibit",
            [.text("sleep"), .text("Tonearm"), .text("The music is paused"), .text("delay")]
        ) { [unowned self] reply throws(BusFailure) in
            guard !reply.isError, case .descriptor(let descriptor)? = try reply.values(["h"]).first else { return }
            letSleep()
            inhibitor = Descriptor.duplicate(descriptor) ?? -1
        }
    }

    /// All players are silent: the machine may sleep.
    func letSleep() {
        if inhibitor >= 0 { close(inhibitor) }
        inhibitor = -1
    }

    private func listSessions() throws(BusFailure) {
        listing = Listing(number: listing.number + 1)
        let number = listing.number
        try bus.call(Self.name, Self.managerPath, Self.manager, "ListSessions") {
            [unowned self] reply throws(BusFailure) in
            // An error means that logind does not run.
            guard number == listing.number, !reply.isError else { return }
            for members in try reply.structures(of: ["s", "u", "s", "s", "o"]) {
                guard case .uint32(let user) = members[1], case .text(let seat) = members[3],
                    case .path(let path) = members[4]
                else { continue }
                // A session over the network has no seat, hence no screen.
                if !seat.isEmpty { try describe(path, user, number) }
            }
            if listing.open == 0 { report(.sessions([])) }
        }
    }

    private func describe(_ path: String, _ user: UInt32, _ number: Int) throws(BusFailure) {
        listing.open += 1
        try bus.call(Self.name, path, Self.properties, "GetAll", [.text(Self.session)]) {
            [unowned self] reply throws(BusFailure) in
            guard number == listing.number else { return }
            listing.open -= 1
            // The session of a login screen belongs to no user.
            if !reply.isError, case .dictionary(let values)? = try reply.values(["a{sv}"]).first,
                values["Class"] == .text("user")
            {
                let isLocked = values["LockedHint"] == .flag(true)
                listing.sessions.append(
                    LoginSession(
                        id: path, user: user, isLocked: isLocked, isGraphical: values["Type"] != .text("tty")))
            }
            if listing.open == 0 { report(.sessions(listing.sessions)) }
        }
    }

    // MARK: Signals

    private func received(_ signal: BusMessage) throws(BusFailure) {
        switch signal.member {
        case "PrepareForSleep":
            guard case .flag(let begins)? = try values(of: signal, ["b"]).first else { return }
            report(.asleep(begins))
        case "Lock": report(.asked(id: signal.path, isLocked: true))
        case "Unlock": report(.asked(id: signal.path, isLocked: false))
        case "SessionNew", "SessionRemoved": try listSessions()
        case "PropertiesChanged":
            let arguments = try values(of: signal, ["s", "a{sv}"])
            guard case .dictionary(let changed)? = arguments.last else { return }
            if case .flag(let isLocked)? = changed["LockedHint"] {
                report(.hint(id: signal.path, isLocked: isLocked))
            }
        case "NameOwnerChanged":
            guard case .text(let owner)? = try values(of: signal, ["s", "s", "s"]).last else { return }
            letSleep()
            if owner.isEmpty { report(.lost) } else { try begin() }
        default: break
        }
    }

    /// The first values of a signal; empty if it has other types. (`PropertiesChanged` has a further, unused argument.)
    private func values(of signal: BusMessage, _ types: [String]) throws(BusFailure) -> [BusValue] {
        signal.signature.hasPrefix(types.joined()) ? try signal.values(types) : []
    }
}
