// SPDX-License-Identifier: Apache-2.0

import Glibc

/// One IPv4 address of this machine.
struct NetworkAddress: Hashable {
    var interface: String
    var address: String
    var isUp = true
    var isLoopback = false
    /// A tunnel, as of a VPN.
    var isPointToPoint = false
    /// A network card, as opposed to what software has made.
    var isHardware = false
}

/// Where others in the local network find this machine.
enum LocalNetwork {
    /// The one that a phone in the same network most likely reaches; nil when there is none.
    static func address(_ candidates: [NetworkAddress] = addresses()) -> String? {
        candidates.filter { $0.isUp && !$0.isLoopback && !isBridgeOfContainers($0.interface) }
            .min { rank($0) < rank($1) }?.address
    }

    private static func rank(_ candidate: NetworkAddress) -> Int {
        // Made up by the machine itself, because nobody gave it one (RFC 3927).
        if candidate.address.hasPrefix("169.254.") { return 3 }
        if candidate.isPointToPoint { return 2 }
        return candidate.isHardware ? 0 : 1
    }

    /// Networks that exist inside of this machine only.
    private static func isBridgeOfContainers(_ interface: String) -> Bool {
        ["docker", "br-", "veth", "virbr", "vnet", "cni", "podman", "lxcbr", "lxdbr", "incusbr", "flannel", "cali"]
            .contains { interface.hasPrefix($0) }
    }

    /// In the kernel's order.
    static func addresses() -> [NetworkAddress] {
        var list: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&list) == 0 else { return [] }
        defer { freeifaddrs(list) }
        var found: [NetworkAddress] = []
        var entry = list
        while let interface = entry?.pointee {
            entry = interface.ifa_next
            guard let address = interface.ifa_addr, Int32(address.pointee.sa_family) == AF_INET,
                let text = numeric(address, socklen_t(MemoryLayout<sockaddr_in>.size))
            else { continue }
            let name = String(cString: interface.ifa_name)
            func has(_ flag: Int) -> Bool { interface.ifa_flags & UInt32(flag) != 0 }
            found.append(
                NetworkAddress(
                    interface: name, address: text, isUp: has(IFF_UP), isLoopback: has(IFF_LOOPBACK),
                    isPointToPoint: has(IFF_POINTOPOINT),
                    isHardware: access("/sys/class/net/\(name)/device", F_OK) == 0))
        }
        return found
    }

    /// Whether the name leads to an address that others can reach too; asks the resolver and may take its time.
    ///
    /// What it leads to on loopback (Debian writes the machine's own name so into /etc/hosts) does not hold for others.
    static func resolves(_ name: String) -> Bool {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(name, nil, &hints, &list) == 0 else { return false }
        defer { freeaddrinfo(list) }
        var entry = list
        while let info = entry?.pointee {
            entry = info.ai_next
            guard let address = info.ai_addr, let text = numeric(address, info.ai_addrlen) else { continue }
            if !text.hasPrefix("127."), text != "::1" { return true }
        }
        return false
    }

    /// As `uname -n` prints it.
    static func machineName() -> String? {
        var name = utsname()
        guard uname(&name) == 0 else { return nil }
        return withUnsafeBytes(of: &name.nodename) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
    }

    private static func numeric(_ address: UnsafePointer<sockaddr>, _ length: socklen_t) -> String? {
        var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        guard getnameinfo(address, length, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST) == 0 else {
            return nil
        }
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}

/// Where the page is to be opened.
struct PageLinks {
    /// By an address that works without anybody's help: as bound, or in the local network when bound to all addresses.
    let main: String
    /// By the machine's name, which is easier to keep in mind but which not every network resolves.
    let named: (name: String, link: String)?
    let hasToken: Bool

    init(
        host: String, port: UInt16, token: String?, address: @autoclosure () -> String? = LocalNetwork.address(),
        machineName: @autoclosure () -> String? = LocalNetwork.machineName()
    ) {
        func link(_ host: String) -> String {
            let authority = host.contains(":") ? "[\(host)]" : host
            return "http://\(authority):\(port)/" + (token.map { "#token=\($0)" } ?? "")
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
