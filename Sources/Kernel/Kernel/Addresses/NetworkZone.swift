// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// How private a network address is. The tables contain IANA's special-purpose addresses (RFC 6890) and the well-known
/// addresses of cloud metadata services.
public enum NetworkZone: Int, Hashable, Sendable, CaseIterable, Comparable {
    case `public`
    /// RFC 1918, RFC 6598 (100.64/10), RFC 4193 (fc00::/7) and the like: a network behind a router.
    case `private`
    /// This link only (169.254/16, fe80::/10), cloud metadata, multicast, reserved: no playlist has a reason to name these.
    case linkLocal
    /// This machine.
    case loopback

    public static func < (left: NetworkZone, right: NetworkZone) -> Bool { left.rawValue < right.rawValue }

    /// `address` is in host byte order.
    public init(ipv4 address: UInt32) {
        self = Self.ipv4Rows.first { address >> (32 - $0.bits) == $0.network >> (32 - $0.bits) }?.zone ?? .public
    }

    /// `address` is 16 bytes in network order. An address that embeds an IPv4 address has that address's zone.
    public init(ipv6 address: some Collection<UInt8>) {
        let bytes = Array(address)
        guard bytes.count == 16 else {
            self = .loopback
            return
        }
        func ipv4(at index: Int) -> NetworkZone {
            NetworkZone(ipv4: bytes[index..<index + 4].reduce(0) { $0 << 8 | UInt32($1) })
        }
        if let row = Self.ipv6Rows.first(where: { bytes.starts(with: $0.prefix) }) {
            self =
                switch row.kind {
                case .zone(let zone): zone
                case .embedded(let index): ipv4(at: index)
                // A network's own translator is never less private than that network.
                case .translated(let index): max(.private, ipv4(at: index))
                // Teredo (RFC 4380) inverts the bits of its client's address.
                case .inverted(let index):
                    NetworkZone(ipv4: ~bytes[index..<index + 4].reduce(0) { $0 << 8 | UInt32($1) })
                }
        } else if bytes[0] & 0xFE == 0xFC {
            self = .private
        } else if bytes[0] == 0xFE, bytes[1] & 0x80 != 0 {
            // fec0::/10: deprecated site-local addresses (RFC 3879).
            self = bytes[1] & 0xC0 == 0x80 ? .linkLocal : .private
        } else {
            self = .public
        }
    }

    /// Accepts numeric addresses in any form that a resolver accepts (`127.1`, `0x7f000001`, `[::1]`, `fe80::1%eth0`), and
    /// names that always mean this machine. nil for other names.
    public init?(host text: String) {
        var host = text.lowercased()[...]
        if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
        while host.hasSuffix(".") { host = host.dropLast() }
        if host == "localhost" || host.hasSuffix(".localhost") {
            self = .loopback
            return
        }
        guard let bytes = Self.bytes(of: String(host)) else { return nil }
        if bytes.count == 4 {
            self.init(ipv4: bytes.reduce(0) { $0 << 8 | UInt32($1) })
        } else {
            self.init(ipv6: bytes)
        }
    }

    /// The 4 or 16 bytes of a numeric address in network order; nil for any other text.
    public static func bytes(of host: String) -> [UInt8]? {
        var ipv4 = in_addr()
        if inet_aton(host, &ipv4) != 0 { return withUnsafeBytes(of: ipv4) { Array($0) } }
        var ipv6 = in6_addr()
        guard inet_pton(AF_INET6, String(host.prefix { $0 != "%" }), &ipv6) == 1 else { return nil }
        return withUnsafeBytes(of: ipv6) { Array($0) }
    }

    private static let ipv4Rows: [(network: UInt32, bits: UInt32, zone: NetworkZone)] = [
        // Linux connects 0.0.0.0 to this machine.
        (0x0000_0000, 8, .loopback), (0x7F00_0000, 8, .loopback),
        // Metadata services of Alibaba Cloud, Oracle Cloud and Azure outside 169.254/16.
        (0x6464_64C8, 32, .linkLocal), (0xC000_00C0, 32, .linkLocal), (0xA83F_8110, 32, .linkLocal),
        (0xA9FE_0000, 16, .linkLocal),
        (0x0A00_0000, 8, .private), (0xAC10_0000, 12, .private), (0xC0A8_0000, 16, .private),
        (0x6440_0000, 10, .private), (0xC000_0000, 24, .private), (0xC612_0000, 15, .private),
        // Multicast, reserved, broadcast.
        (0xE000_0000, 4, .linkLocal), (0xF000_0000, 4, .linkLocal),
    ]

    private enum Kind {
        case zone(NetworkZone)
        /// An IPv4 address begins at this byte, also in the cases below.
        case embedded(Int)
        case translated(Int)
        case inverted(Int)
    }

    private static let ipv6Rows: [(prefix: [UInt8], kind: Kind)] = [
        (Array(repeating: 0, count: 15) + [1], .zone(.loopback)),
        // ::ffff:0:0/96 (mapped), ::ffff:0:0:0/96 (translated), ::/96 (compatible, and :: itself).
        (Array(repeating: 0, count: 10) + [0xFF, 0xFF], .embedded(12)),
        (Array(repeating: 0, count: 8) + [0xFF, 0xFF, 0, 0], .embedded(12)),
        (Array(repeating: 0, count: 12), .embedded(12)),
        // NAT64 (RFC 6052, RFC 8215), 6to4 (RFC 3056), Teredo (RFC 4380).
        ([0, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0], .embedded(12)),
        ([0, 0x64, 0xFF, 0x9B, 0, 1], .translated(12)),
        ([0x20, 0x02], .embedded(2)),
        ([0x20, 0x01, 0, 0], .inverted(12)),
        // Metadata services of Amazon and Google.
        ([0xFD, 0, 0x0E, 0xC2], .zone(.linkLocal)), ([0xFD, 0x20, 0, 0xCE], .zone(.linkLocal)),
        ([0xFF], .zone(.linkLocal)),
    ]
}

/// The zones that an address may lead to. A user's address may lead anywhere; an address from a server (a redirect, a
/// stream's segment, a playlist's entry or picture) must not be more private than that server.
public enum NetworkReach: String, Hashable, Codable, Sendable, CaseIterable {
    case anywhere
    case loopback
    case linkLocal = "link-local"
    case `private`
    case `public`

    /// The reach of addresses from a server in `zone`.
    public init(of zone: NetworkZone) {
        self =
            switch zone {
            case .public: .public
            case .private: .private
            case .linkLocal: .linkLocal
            case .loopback: .loopback
            }
    }

    public func allows(_ zone: NetworkZone) -> Bool {
        switch self {
        case .anywhere: true
        // A server on this machine has no business with metadata services and the like.
        case .loopback: zone != .linkLocal
        case .linkLocal: zone != .loopback
        case .private: zone <= .private
        case .public: zone == .public
        }
    }

    /// The zones that both allow.
    public func narrowed(by other: NetworkReach) -> NetworkReach {
        let both = NetworkZone.allCases.filter { allows($0) && other.allows($0) }
        return Self.allCases.first { reach in NetworkZone.allCases.filter(reach.allows) == both } ?? .public
    }
}
