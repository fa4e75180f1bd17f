// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc

/// One IPv4 address of this machine.
struct NetworkAddress: Hashable {
    var interface: String
    var address: String
    var isUp = true
    var isLoopback = false
    /// A tunnel, such as a VPN.
    var isPointToPoint = false
    /// A network card, not a virtual interface.
    var isHardware = false
}

/// The addresses and the name of this machine in the local network.
enum LocalNetwork {
    /// The address that a phone in the same network most likely reaches; nil if there is none.
    static func address(_ candidates: [NetworkAddress] = addresses()) -> String? {
        candidates.filter { $0.isUp && !$0.isLoopback && !isBridgeOfContainers($0.interface) }
            .min { rank($0) < rank($1) }?.address
    }

    private static func rank(_ candidate: NetworkAddress) -> Int {
        // Link-local: no DHCP server assigned an address (RFC 3927).
        if candidate.address.hasPrefix("169.254.") { return 3 }
        if candidate.isPointToPoint { return 2 }
        return candidate.isHardware ? 0 : 1
    }

    /// Networks inside this machine.
    private static func isBridgeOfContainers(_ interface: String) -> Bool {
        ["docker", "br-", "veth", "virbr", "vnet", "cni", "podman", "lxcbr", "lxdbr", "incusbr", "flannel", "cali"]
            .contains { interface.hasPrefix($0) }
    }

    /// In the kernel's order.
    static func addresses() -> [NetworkAddress] {
        var list: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&list) == 0, let list else { return [] }
        defer { freeifaddrs(list) }
        return sequence(first: list, next: \.pointee.ifa_next).compactMap { entry in
            let interface = entry.pointee
            guard let address = interface.ifa_addr, Int32(address.pointee.sa_family) == AF_INET,
                let text = numeric(address, socklen_t(MemoryLayout<sockaddr_in>.size))
            else { return nil }
            let name = String(cString: interface.ifa_name)
            func has(_ flag: Int) -> Bool { interface.ifa_flags & UInt32(flag) != 0 }
            return NetworkAddress(
                interface: name, address: text, isUp: has(IFF_UP), isLoopback: has(IFF_LOOPBACK),
                isPointToPoint: has(IFF_POINTOPOINT), isHardware: access("/sys/class/net/\(name)/device", F_OK) == 0)
        }
    }

    /// Returns whether the name resolves to an address that other machines can reach. May block for seconds.
    ///
    /// A loopback address does not count: Debian maps the machine's own name to one in /etc/hosts.
    static func resolves(_ name: String) -> Bool {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(name, nil, &hints, &list) == 0, let list else { return false }
        defer { freeaddrinfo(list) }
        return sequence(first: list, next: \.pointee.ai_next).contains { entry in
            let text = numeric(entry.pointee.ai_addr, entry.pointee.ai_addrlen)
            return text.map { !$0.hasPrefix("127.") && $0 != "::1" } ?? false
        }
    }

    /// The addresses, in hexadecimal, at which programs of this user listen, according to the kernel (proc_net(5)). A
    /// request to find out would send the token to any program that listens there.
    static func listeners(on port: UInt16) -> [Substring] {
        ["/proc/net/tcp", "/proc/net/tcp6"].flatMap { path -> [Substring] in
            do {
                let table = String(decoding: try ConfigurationFile.read(path, setting: "port"), as: UTF8.self)
                return table.split(separator: "\n").compactMap { line -> Substring? in
                    let fields = line.split(separator: " ")
                    guard fields.count > 7, fields[3] == "0A", fields[7] == "\(geteuid())" else { return nil }
                    let local = fields[1].split(separator: ":")
                    return UInt16(local.last ?? "", radix: 16) == port ? local.first : nil
                }
            } catch {
                // A kernel without IPv6 has no tcp6.
                return []
            }
        }
    }

    static func machineName() -> String { ProcessInfo.processInfo.hostName }

    private static func numeric(_ address: UnsafePointer<sockaddr>, _ length: socklen_t) -> String? {
        var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        guard getnameinfo(address, length, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST) == 0 else {
            return nil
        }
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}

struct PageLinks {
    /// By address: the bound one, or the one in the local network if bound to all addresses.
    let main: String
    /// By the machine's name, which is easier to remember but does not resolve in every network.
    let named: (name: String, link: String)?
    let hasToken: Bool

    init(
        host: String, port: UInt16, token: String?, address: @autoclosure () -> String? = LocalNetwork.address(),
        machineName: @autoclosure () -> String? = LocalNetwork.machineName()
    ) {
        func link(_ host: String) -> String {
            "http://\(ServerAddress.bracketed(host)):\(port)/" + (token.map { "#token=\($0)" } ?? "")
        }
        hasToken = token != nil
        guard host == "0.0.0.0" || host == "::" else {
            main = link(host)
            named = nil
            return
        }
        let name = machineName()
        if let address = address() {
            main = link(address)
            named = name.map { ($0, link($0)) }
        } else {
            main = link(name ?? host)
            named = nil
        }
    }
}
