// SPDX-License-Identifier: Apache-2.0

internal import Kernel
internal import CCurl
internal import Glibc
internal import Media

/// Checks the addresses that a transfer connects to, and records the connected one. Lives on the network thread.
///
/// Addresses are checked at the moment of connecting, so that a name cannot resolve to another address afterwards.
struct ConnectionCheck {
    let reach: NetworkReach
    /// The target's zone when a proxy is used: known for numeric addresses only, names count as public. nil: no proxy.
    private let proxied: NetworkZone?
    /// Zone of the connected address.
    private(set) var zone: NetworkZone?
    /// Zone of an address that was refused.
    private(set) var refused: NetworkZone?

    init(_ request: TransferRequest, usesProxy: Bool) {
        reach = request.reach
        // Non-ASCII text may become a number when the proxy parses it.
        proxied = usesProxy ? request.address.numericZone ?? .public : nil
    }

    /// Called before a socket is opened.
    mutating func mayConnect(to address: UnsafePointer<sockaddr>) -> Bool {
        switch Int32(address.pointee.sa_family) {
        case AF_INET:
            mayUse(
                address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                    NetworkZone(ipv4: UInt32(bigEndian: $0.pointee.sin_addr.s_addr))
                })
        case AF_INET6:
            mayUse(
                address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { address in
                    withUnsafeBytes(of: address.pointee.sin6_addr) { NetworkZone(ipv6: $0) }
                })
        default: mayUse(.loopback)
        }
    }

    /// Called before a request is sent, on a new or a reused connection.
    mutating func mayRequest(from address: String) -> Bool {
        let found = proxied ?? NetworkZone(host: address) ?? .loopback
        zone = found
        return mayUse(found)
    }

    private mutating func mayUse(_ found: NetworkZone) -> Bool {
        let found = proxied ?? found
        if reach.allows(found) { return true }
        refused = found
        return false
    }

    /// The failure if an address was refused; nil otherwise.
    func failure(of host: String) -> TransferFailure? {
        refused.map { .privateAddress("\(host) has \($0.text); \(reach.text) may not lead there.") }
    }
}

extension NetworkZone {
    fileprivate var text: String {
        switch self {
        case .public: "a public address"
        case .private: "an address of a private network"
        case .linkLocal: "a link-local or reserved address"
        case .loopback: "an address of this machine"
        }
    }
}

extension NetworkReach {
    fileprivate var text: String {
        switch self {
        case .anywhere: "this item"
        case .public: "a public server"
        case .private: "a server of a private network"
        case .linkLocal: "a link-local server"
        case .loopback: "a server of this machine"
        }
    }
}

extension WebAddress {
    /// The zone of a numeric host; nil for a name. Loopback, the most private zone, for a host that is not ASCII.
    fileprivate var numericZone: NetworkZone? {
        guard let name = PercentEncoding.decode(host), name.utf8.allSatisfy({ $0 < 0x80 }) else { return .loopback }
        return NetworkZone(host: name)
    }
}
