// SPDX-License-Identifier: Apache-2.0

import Glibc
import Kernel
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
        let (socket, bound) = (descriptor, address)
        var copy = bound
        let code = withUnsafeMutablePointer(to: &copy) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { raw in
                bind(socket, raw, length) == 0 && listen(socket, 16) == 0 && getsockname(socket, raw, &length) == 0
            }
        }
        guard code else { throw OriginError() }
        port = UInt16(bigEndian: copy.sin_port)
        NamedThread("origin") { [self] in
            for answer in answers {
                let connection = accept(socket, nil, nil)
                guard connection >= 0 else { return }
                serve(connection, answer)
                close(connection)
            }
        }.detach()
    }

    deinit { close(descriptor) }

    private func serve(_ connection: Int32, _ answer: String) {
        var head: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while !String(decoding: head, as: UTF8.self).contains("\r\n\r\n") {
            let count = recv(connection, &buffer, buffer.count, 0)
            guard count > 0 else { break }
            head += buffer[..<count]
        }
        heads.withLock { $0.append(String(decoding: head, as: UTF8.self)) }
        let bytes = Array(answer.utf8)
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            sent += count
        }
    }
}

struct OriginError: Error {}
