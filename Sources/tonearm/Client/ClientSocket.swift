// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A blocking TCP connection with deadlines.
struct ClientSocket: ~Copyable {
    private let descriptor: Int32
    private let address: ServerAddress

    init(_ address: ServerAddress, timeout: Int) throws {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(address.host, String(address.port), &hints, &list)
        guard code == 0, let list else {
            throw Failure("unknown host \(address.host): \(String(cString: gai_strerror(code))).", .unavailable)
        }
        defer { freeaddrinfo(list) }
        var reason = ECONNREFUSED
        var entry: UnsafeMutablePointer<addrinfo>? = list
        while let info = entry?.pointee {
            switch Self.connect(info, timeout: timeout) {
            case .connected(let descriptor):
                self.descriptor = descriptor
                self.address = address
                return
            case .failed(let code): reason = code
            }
            entry = info.ai_next
        }
        let cause = reason == ECONNREFUSED ? "" : " (\(String(cString: strerror(reason))))"
        throw Failure("no server answers at \(address)\(cause): is `tonearm serve` running?", .unavailable)
    }

    deinit { close(descriptor) }

    private enum Attempt {
        case connected(Int32)
        case failed(Int32)
    }

    private static func connect(_ info: addrinfo, timeout: Int) -> Attempt {
        let kind = info.ai_socktype | Int32(SOCK_CLOEXEC.rawValue)
        let descriptor = socket(info.ai_family, kind, info.ai_protocol)
        guard descriptor >= 0 else { return .failed(errno) }
        // Also the deadline of connect (socket(7)).
        var limit = timeval(tv_sec: timeout, tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, size)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, size)
        guard Glibc.connect(descriptor, info.ai_addr, info.ai_addrlen) == 0 else {
            let code = errno == EINPROGRESS ? ETIMEDOUT : errno
            close(descriptor)
            return .failed(code)
        }
        return .connected(descriptor)
    }

    /// How long the server may be silent from here on.
    func allowSilence(seconds: Int) {
        var limit = timeval(tv_sec: seconds, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    func send(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count < 0, errno == EINTR { continue }
            // The server may refuse early and close; its answer is read after this.
            if count < 0, errno == EPIPE || errno == ECONNRESET { return }
            guard count > 0 else { throw lost() }
            rest = rest.dropFirst(count)
        }
    }

    /// Empty at the end of the stream.
    func receive() throws -> [UInt8] {
        while true {
            var failure: Int32 = 0
            let bytes = [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, count in
                let received = recv(descriptor, buffer.baseAddress, buffer.count, 0)
                failure = received < 0 ? errno : 0
                count = max(0, received)
            }
            if failure == 0 { return bytes }
            if failure != EINTR { throw lost(failure) }
        }
    }

    private func lost(_ code: Int32 = errno) -> Failure {
        if code == EAGAIN {
            return Failure(
                "\(address) does not answer: it hangs, or is not a Tonearm server.", .unavailable)
        }
        return Failure("the connection to \(address) was lost: \(String(cString: strerror(code))).", .unavailable)
    }
}
