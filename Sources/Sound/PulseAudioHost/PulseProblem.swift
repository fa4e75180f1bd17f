// SPDX-License-Identifier: Apache-2.0

internal import CPulse
import Glibc
import Playback

/// Sentences for users, from libpulse's error codes and the state of the socket.
enum PulseProblem {
    static let noDevice = "The sound server runs but has no output device."
    static let noAnswer = "The sound server did not answer the request for a stream."

    static func text(_ code: Int32) -> String { String(cString: pa_strerror(code)) }

    /// Why the connection to the server failed.
    static func connection(_ code: Int32, server: String?) -> String {
        let address = PulseAddress(server: server)
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
            if access(path, R_OK | W_OK) == 0 {
                return "Connection refused at \(path): the sound server is no longer running."
            }
            return errno == EACCES
                ? "No permission to use the sound server's socket \(path)."
                : "No socket at \(path): no sound server runs for this user."
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

/// The address that libpulse takes from the environment. Client configuration files may override it; this is for
/// explaining failures only.
public struct PulseAddress: Sendable, CustomStringConvertible {
    public var description: String
    /// nil for servers on TCP.
    public var socketPath: String?

    /// nil if unset or empty.
    public static func environment(_ name: String) -> String? {
        guard let value = getenv(name) else { return nil }
        let text = String(cString: value)
        return text.isEmpty ? nil : text
    }

    /// The address in `server`, in the syntax of `PULSE_SERVER`; nil: that of the environment.
    public init(server: String? = nil, environment: (String) -> String? = environment) {
        if let server = server ?? environment("PULSE_SERVER") {
            // The value may be a list of servers; the first is the intended one. A prefix `{machine}` is a condition.
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
}
