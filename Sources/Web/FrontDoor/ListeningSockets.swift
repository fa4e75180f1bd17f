// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc

/// The listening sockets of one host and port: several if a name has several addresses.
struct ListeningSockets {
    /// The caller owns them.
    let descriptors: [Int32]
    let port: UInt16

    init(host: String, port: UInt16) throws(ListenError) {
        let addresses = try Self.resolve(host)
        // With port 0 the kernel chooses a port for the first address. If that port is taken at another address, all are
        // opened again.
        for attempt in 0..<16 {
            do throws(ListenError) {
                (descriptors, self.port) = try Self.open(addresses, host: host, port: port)
                return
            } catch {
                guard case .addressInUse = error, port == 0, attempt < 15 else { throw error }
            }
        }
        throw .addressInUse(host: host, port: port)
    }

    func close() {
        for descriptor in descriptors { Glibc.close(descriptor) }
    }

    private static func open(
        _ addresses: [SocketAddress], host: String, port: UInt16
    ) throws(ListenError) -> ([Int32], UInt16) {
        var opened: [Int32] = []
        var bound = port
        var missing: ListenError?
        for address in addresses {
            do throws(ListenError) {
                let descriptor = try listen(on: address.with(port: bound), host: host, port: bound)
                opened.append(descriptor)
                if bound == 0 { bound = SocketAddress.local(of: descriptor).port }
            } catch {
                // A machine without IPv6 still has the other loopback address.
                if case .addressNotAvailable = error, addresses.count > 1 {
                    missing = error
                    continue
                }
                for descriptor in opened { Glibc.close(descriptor) }
                throw error
            }
        }
        if opened.isEmpty, let missing { throw missing }
        return (opened, bound)
    }

    private static func listen(on address: SocketAddress, host: String, port: UInt16) throws(ListenError) -> Int32 {
        func failure(_ call: String) -> ListenError { ListenError(call: call, code: errno, host: host, port: port) }
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let descriptor = socket(address.family, type, 0)
        guard descriptor >= 0 else { throw failure("socket") }
        var on: Int32 = 1
        let size = socklen_t(MemoryLayout<Int32>.size)
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, size)
        if address.family == AF_INET6 {
            // `::` accepts IPv4 too; other addresses accept only themselves.
            var only: Int32 = address.isAnyIPv6 ? 0 : 1
            setsockopt(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &only, size)
        }
        guard address.withPointer({ bind(descriptor, $0, $1) }) == 0 else {
            let error = failure("bind")
            Glibc.close(descriptor)
            throw error
        }
        guard Glibc.listen(descriptor, 1024) == 0 else {
            let error = failure("listen")
            Glibc.close(descriptor)
            throw error
        }
        return descriptor
    }

    private static func resolve(_ host: String) throws(ListenError) -> [SocketAddress] {
        // Does not use the resolver, as /etc/hosts is missing or incomplete in small containers.
        if host == "localhost" { return try resolve("127.0.0.1") + resolve("::1") }
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_PASSIVE
        var list: UnsafeMutablePointer<addrinfo>?
        let bare = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
        let code = getaddrinfo(bare, nil, &hints, &list)
        guard code == 0, let list else { throw .unknownHost(host, reason: String(cString: gai_strerror(code))) }
        defer { freeaddrinfo(list) }
        var addresses: [SocketAddress] = []
        for entry in sequence(first: list, next: \.pointee.ai_next) {
            let address = SocketAddress(entry.pointee.ai_addr, length: entry.pointee.ai_addrlen)
            if !addresses.contains(address) { addresses.append(address) }
        }
        return addresses
    }
}

/// A failure to listen. Each case needs another reaction of the user.
public enum ListenError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Another process uses the port: choose another port or end that process.
    case addressInUse(host: String, port: UInt16)
    /// The host is not an address of this machine.
    case addressNotAvailable(host: String)
    /// The host does not resolve; `reason` is the resolver's text.
    case unknownHost(String, reason: String)
    /// A port below 1024 without permission.
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
