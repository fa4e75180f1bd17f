// SPDX-License-Identifier: Apache-2.0

import Playback
internal import Service

/// A signal of the object.
struct BusSignal: Equatable {
    var interface: String
    var member: String
    var body: [BusValue]

    static func changed(_ interface: String, _ values: [String: BusValue], invalidated: [String] = []) -> BusSignal {
        BusSignal(
            interface: InterfaceName.properties, member: "PropertiesChanged",
            body: [.text(interface), .dictionary(values), .texts(invalidated)])
    }
}

enum Answer {
    case values([BusValue])
    /// The player's answer becomes the answer to the call.
    case command(PlayerCommand)
    /// Likewise, after the address was resolved.
    case addition(Addition)
    case failure(BusError)

    /// Done, or not possible at present, which is no error in MPRIS.
    static var nothing: Answer { .values([]) }
}

struct BusError: Error, Equatable {
    var name: String
    var message: String

    /// An error with a standard D-Bus name.
    private static func dbus(_ name: String, _ message: String) -> BusError {
        BusError(name: "org.freedesktop.DBus.Error." + name, message: message)
    }

    static func unknownMethod(_ interface: String, _ member: String) -> BusError {
        dbus("UnknownMethod", "There is no method \(interface).\(member).")
    }

    static func unknownInterface(_ name: String) -> BusError {
        dbus("UnknownInterface", "There is no interface \(name).")
    }

    static func unknownProperty(_ name: String) -> BusError { dbus("UnknownProperty", "There is no property \(name).") }

    static func readOnly(_ name: String) -> BusError { dbus("PropertyReadOnly", "\(name) cannot be set.") }

    static func invalid(_ message: String) -> BusError { dbus("InvalidArgs", message) }

    static var tooMany: BusError { dbus("LimitsExceeded", "Too many calls wait for the player.") }

    /// The problem's code as an error name: `output-unavailable` is `org.tonearm.Error.OutputUnavailable`.
    static func player(_ problem: Problem) -> BusError {
        let words = problem.code.split(separator: "-").map { $0.prefix(1).uppercased() + $0.dropFirst() }
        return BusError(name: "org.tonearm.Error." + words.joined(), message: problem.detail)
    }
}

enum InterfaceName {
    static let root = "org.mpris.MediaPlayer2"
    static let player = "org.mpris.MediaPlayer2.Player"
    static let trackList = "org.mpris.MediaPlayer2.TrackList"
    static let properties = "org.freedesktop.DBus.Properties"
    static let introspectable = "org.freedesktop.DBus.Introspectable"
}
