// SPDX-License-Identifier: Apache-2.0

import Glibc
import Kernel
import SocketTesting
import Synchronization

/// A server on loopback that gives each connection the next of its scripted answers, then closes it.
final class Origin: Sendable {
    let port: UInt16
    private let descriptor: Int32
    private let heads = Mutex<[String]>([])

    /// Request heads, in order.
    var requests: [String] { heads.withLock { $0 } }

    init(_ answers: [String]) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let socket = descriptor
        let code = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { raw in
                bind(socket, raw, length) == 0 && listen(socket, 16) == 0 && getsockname(socket, raw, &length) == 0
            }
        }
        guard code else { throw OriginError() }
        port = UInt16(bigEndian: address.sin_port)
        NamedThread("origin") { [self] in
            for answer in answers {
                let connection = TestSocket(adopting: accept(socket, nil, nil))
                guard connection.descriptor >= 0 else { return }
                do {
                    let head = try connection.receive(until: "\r\n\r\n")
                    heads.withLock { $0.append(head) }
                    try connection.send(answer)
                } catch {
                    print("the client went away: \(error)")
                }
            }
        }.detach()
    }

    deinit { close(descriptor) }
}

struct OriginError: Error {}
