// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Where libpulse will look for its server, by the environment. Client configuration files may differ; this is
/// for explaining failures only.
public struct PulseAddress: Sendable, CustomStringConvertible {
    enum Socket: Sendable { case missing, denied, present }

    public var description: String
    /// nil for servers over TCP.
    public var socketPath: String?

    /// nil when it is not set, or empty.
    public static func environment(_ name: String) -> String? {
        guard let value = getenv(name) else { return nil }
        let text = String(cString: value)
        return text.isEmpty ? nil : text
    }

    /// Of `server`, written as `PULSE_SERVER` is; nil for the environment's.
    public init(server: String? = nil, environment: (String) -> String? = environment) {
        if let server = server ?? environment("PULSE_SERVER") {
            // A list of servers may be given; the first is what the user meant. `{machine}` prefixes a condition.
            var first = server.split(separator: " ").first.map(String.init) ?? server
            if first.hasPrefix("{"), let end = first.firstIndex(of: "}") {
                first = String(first[first.index(after: end)...])
            }
            if first.hasPrefix("unix:") { first.removeFirst(5) }
            description = first
            socketPath = first.hasPrefix("/") ? first : nil
        } else {
            let directory =
                environment("PULSE_RUNTIME_PATH")
                ?? "\(environment("XDG_RUNTIME_DIR") ?? "/run/user/\(getuid())")/pulse"
            description = "\(directory)/native"
            socketPath = description
        }
    }

    static func look(at path: String) -> Socket {
        if access(path, R_OK | W_OK) == 0 { return .present }
        return errno == EACCES ? .denied : .missing
    }
}
