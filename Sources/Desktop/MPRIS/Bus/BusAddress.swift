// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Where the session bus is, by the environment; sd-bus looks in the same places.
enum BusAddress {
    /// False on machines and in containers without a desktop: then nothing is loaded and nothing runs.
    static var isSet: Bool {
        if let address = variable("DBUS_SESSION_BUS_ADDRESS") { return !address.isEmpty }
        guard let directory = variable("XDG_RUNTIME_DIR"), !directory.isEmpty else { return false }
        return access(directory + "/bus", F_OK) == 0
    }

    private static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
}
