// SPDX-License-Identifier: Apache-2.0

internal import Kernel
internal import CCurl
internal import Glibc
internal import Media

/// Which addresses one transfer may connect to, and which one it is connected to. Lives on the network thread.
///
/// Addresses are judged as libcurl connects to them, so that no name can resolve to another one afterwards.
struct ConnectionCheck {
    let reach: NetworkReach
    /// Where a proxy connects to is not known here, but for numeric addresses: names count as public. nil: no proxy.
    private let proxied: NetworkZone?
    /// Of the address that was connected to.
    private(set) var zone: NetworkZone?
    /// What was met that may not be connected to.
    private(set) var refused: NetworkZone?

    init(_ request: TransferRequest, usesProxy: Bool) {
        reach = request.reach
        // What is no ASCII may become a number when the proxy reads it.
        proxied = usesProxy ? request.address.numericZone ?? .public : nil
    }

    /// Before a socket is opened.
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

    /// Before a request is sent, over a new connection or over one of an earlier transfer.
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

    /// Why the transfer failed, when that is the reason.
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
    /// Of a host that is a number; the most private one of what only looks like a name.
    fileprivate var numericZone: NetworkZone? {
        guard let name = PercentEncoding.decode(host), name.utf8.allSatisfy({ $0 < 0x80 }) else { return .loopback }
        return NetworkZone(host: name)
    }
}
