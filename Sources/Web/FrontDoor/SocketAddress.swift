// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import HTTP

/// An IPv4 or IPv6 address with its port, as the kernel keeps it.
struct SocketAddress: Hashable {
    private var bytes: [UInt8]

    init(_ address: UnsafePointer<sockaddr>, length: socklen_t) {
        bytes = Array(UnsafeRawBufferPointer(start: address, count: Int(length)))
    }

    /// Of a Unix socket; nil if the path is empty or too long.
    init?(path: String) {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let fits = withUnsafeMutableBytes(of: &address.sun_path) { buffer in
            guard !path.isEmpty, path.utf8.count < buffer.count else { return false }
            buffer.copyBytes(from: path.utf8)
            return true
        }
        guard fits else { return nil }
        bytes = withUnsafeBytes(of: &address) { Array($0) }
    }

    static func local(of descriptor: Int32) -> SocketAddress {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                getsockname(descriptor, address, &length)
                return SocketAddress(address, length: length)
            }
        }
    }

    var family: Int32 {
        bytes.count < 2 ? AF_UNSPEC : Int32(bytes.withUnsafeBytes { $0.loadUnaligned(as: sa_family_t.self) })
    }

    /// In both families the port follows the family, in network order.
    var port: UInt16 { bytes.count < 4 ? 0 : UInt16(bytes[2]) << 8 | UInt16(bytes[3]) }

    func with(port: UInt16) -> SocketAddress {
        var copy = self
        copy.bytes[2] = UInt8(port >> 8)
        copy.bytes[3] = UInt8(port & 0xFF)
        return copy
    }

    func withPointer<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        bytes.withUnsafeBytes { body($0.baseAddress!.assumingMemoryBound(to: sockaddr.self), socklen_t($0.count)) }
    }

    /// The address without family, port, flow and scope; an IPv4-mapped IPv6 address becomes IPv4.
    private var address: ArraySlice<UInt8> {
        switch family {
        case AF_INET where bytes.count >= 8: return bytes[4..<8]
        case AF_INET6 where bytes.count >= 24:
            let address = bytes[8..<24]
            let isMapped = address.prefix(10).allSatisfy { $0 == 0 } && address[18] == 0xFF && address[19] == 0xFF
            return isMapped ? address.suffix(4) : address
        default: return []
        }
    }

    var isAnyIPv6: Bool { family == AF_INET6 && address.allSatisfy { $0 == 0 } }

    var peer: HTTPPeer {
        let address = Array(address)
        if address.count == 4 {
            return address[0] == 127 ? .loopback : .remote(address.map(String.init).joined(separator: "."))
        }
        guard address.count == 16 else { return .remote("unknown") }
        if address.dropLast().allSatisfy({ $0 == 0 }), address[15] == 1 { return .loopback }
        // A link-local address is valid on its own interface only.
        let isLinkLocal = address[0] == 0xFE && address[1] & 0xC0 == 0x80
        let network = isLinkLocal ? address : Array(address.prefix(8)) + [UInt8](repeating: 0, count: 8)
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        inet_ntop(AF_INET6, network, &text, socklen_t(text.count))
        let numeric = String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        return .remote(isLinkLocal ? numeric : numeric + "/64")
    }
}
