// SPDX-License-Identifier: Apache-2.0

internal import CPulse
import Glibc
import Playback

/// Sentences for the user, from libpulse's error codes and a look at the socket.
enum PulseProblem {
    static let noDevice = "The sound server runs but has no output device."
    static let noAnswer = "The sound server did not answer the request for a stream."

    static func text(_ code: Int32) -> String {
        String(cString: pa_strerror(code))
    }

    /// Why the server could not be reached.
    static func connection(_ code: Int32, address: PulseAddress) -> String {
        let place = address.description
        switch UInt32(code) {
        case PA_ERR_ACCESS.rawValue, PA_ERR_AUTHKEY.rawValue:
            return "The sound server at \(place) denied access: it runs for another user, or the cookie does not match."
        case PA_ERR_PROTOCOL.rawValue, PA_ERR_VERSION.rawValue, PA_ERR_INVALIDSERVER.rawValue:
            return "The server at \(place) is not a sound server that Tonearm supports (\(text(code)))."
        case PA_ERR_TIMEOUT.rawValue:
            return "The sound server at \(place) does not answer."
        case PA_ERR_CONNECTIONTERMINATED.rawValue:
            return "The sound server at \(place) closed the connection."
        default:
            guard let path = address.socketPath else { return "Cannot reach the sound server \(place): \(text(code))." }
            switch PulseAddress.look(at: path) {
            case .missing: return "No socket at \(path): no sound server runs for this user."
            case .denied: return "No permission to use the sound server's socket \(path)."
            case .present: return "Connection refused at \(path): the sound server is no longer running."
            }
        }
    }

    static func streamError(_ code: Int32) -> AudioOutputError {
        switch UInt32(code) {
        case PA_ERR_INVALID.rawValue, PA_ERR_NOTSUPPORTED.rawValue, PA_ERR_TOOLARGE.rawValue,
            PA_ERR_NOTIMPLEMENTED.rawValue:
            .refused("The sound server refused the stream: \(text(code)).")
        case PA_ERR_KILLED.rawValue, PA_ERR_NOENTITY.rawValue:
            .deviceGone("The sound server ended the stream: its output device was removed.")
        default: .lost("The sound server was lost: \(text(code)).")
        }
    }
}

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
