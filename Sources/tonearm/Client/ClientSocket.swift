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
            let cause = code == EAI_NONAME ? "" : " (\(String(cString: gai_strerror(code))))"
            throw Failure("the name \(address.host) was not found\(cause).", .unavailable)
        }
        defer { freeaddrinfo(list) }
        var reason = ECONNREFUSED
        for entry in sequence(first: list, next: \.pointee.ai_next) {
            let descriptor = Self.connect(entry.pointee, timeout: timeout)
            if descriptor >= 0 {
                (self.descriptor, self.address) = (descriptor, address)
                return
            }
            reason = errno
        }
        let cause = reason == ECONNREFUSED ? "" : " (\(String(cString: strerror(reason))))"
        throw Failure("no server answers at \(address)\(cause): is `tonearm serve` running?", .unavailable)
    }

    deinit { close(descriptor) }

    /// Returns -1 with `errno` on failure.
    private static func connect(_ info: addrinfo, timeout: Int) -> Int32 {
        let descriptor = socket(
            info.ai_family, info.ai_socktype | Int32(SOCK_CLOEXEC.rawValue), info.ai_protocol)
        guard descriptor >= 0 else { return -1 }
        // The send timeout is connect's deadline too (socket(7)).
        for option in [SO_SNDTIMEO, SO_RCVTIMEO] { set(option, seconds: timeout, of: descriptor) }
        guard Glibc.connect(descriptor, info.ai_addr, info.ai_addrlen) == 0 else {
            let code = errno == EINPROGRESS ? ETIMEDOUT : errno
            close(descriptor)
            errno = code
            return -1
        }
        return descriptor
    }

    /// Sets how long the server may be silent from now on.
    func allowSilence(seconds: Int) { Self.set(SO_RCVTIMEO, seconds: seconds, of: descriptor) }

    private static func set(_ option: Int32, seconds: Int, of descriptor: Int32) {
        var limit = timeval(tv_sec: seconds, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    func send(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count < 0, errno == EINTR { continue }
            // The server may reject the request early and close; its answer is read next.
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
            return Failure("\(address) does not answer: it hangs, or is not a Tonearm server.", .unavailable)
        }
        return Failure("the connection to \(address) was lost: \(String(cString: strerror(code))).", .unavailable)
    }
}
