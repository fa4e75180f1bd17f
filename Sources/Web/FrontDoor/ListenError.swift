// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Why no socket listens: each case asks the user for something else.
public enum ListenError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Another process has the port: choose another one or end that process.
    case addressInUse(host: String, port: UInt16)
    /// The host is not an address of this machine.
    case addressNotAvailable(host: String)
    /// The host does not resolve; `reason` is the resolver's text.
    case unknownHost(String, reason: String)
    /// A port below 1024 without the right to it.
    case permissionDenied(port: UInt16)
    case failed(call: String, code: Int32)

    init(call: String, code: Int32, host: String, port: UInt16) {
        self =
            switch code {
            case EADDRINUSE: .addressInUse(host: host, port: port)
            case EADDRNOTAVAIL, EAFNOSUPPORT: .addressNotAvailable(host: host)
            case EACCES: .permissionDenied(port: port)
            default: .failed(call: call, code: code)
            }
    }

    public var description: String {
        switch self {
        case .addressInUse(let host, let port): "\(host):\(port) is in use by another process"
        case .addressNotAvailable(let host): "\(host) is not an address of this machine"
        case .unknownHost(let host, let reason): "unknown host \(host): \(reason)"
        case .permissionDenied(let port): "no permission to listen on port \(port)"
        case .failed(let call, let code): "\(call): \(String(cString: strerror(code)))"
        }
    }
}
