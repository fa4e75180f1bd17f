// SPDX-License-Identifier: Apache-2.0

public import Glibc

public struct TestSocketError: Error {
    public var call: String
    public var code: Int32
}

/// A blocking TCP client on loopback. Every wait ends after five seconds by default.
public final class TestSocket: Sendable {
    public let descriptor: Int32

    public init(port: UInt16, seconds: Int = 5) throws {
        descriptor = Self.socket(AF_INET, seconds: seconds)
        var on: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let code = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard code == 0 else { throw TestSocketError(call: "connect", code: errno) }
    }

    /// A Unix socket.
    public init(path: String) throws {
        descriptor = Self.socket(AF_UNIX, seconds: 5)
        let code = Self.withAddress(path: path) { connect(descriptor, $0, $1) }
        guard code == 0 else { throw TestSocketError(call: "connect", code: errno) }
    }

    /// A connection that a server has accepted, without a time limit.
    public init(adopting descriptor: Int32) { self.descriptor = descriptor }

    private static func socket(_ family: Int32, seconds: Int) -> Int32 {
        let descriptor = Glibc.socket(family, Int32(SOCK_STREAM.rawValue), 0)
        var timeout = timeval(tv_sec: seconds, tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(descriptor, SOL_SOCKET, option, &timeout, socklen_t(MemoryLayout<timeval>.size))
        }
        return descriptor
    }

    public static func withAddress<Result>(
        path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }

    deinit { close(descriptor) }

    public func send(_ text: String) throws { try send(Array(text.utf8)) }

    public func send(_ bytes: [UInt8]) throws {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw TestSocketError(call: "send", code: errno) }
            sent += count
        }
    }

    /// Empty at the end of the connection.
    public func receive(atMost count: Int = 65_536) throws -> [UInt8] {
        var failure: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            let got = recv(descriptor, buffer.baseAddress, count, 0)
            if got < 0 { failure = errno }
            filled = max(0, got)
        }
        guard failure == 0 || failure == ECONNRESET else { throw TestSocketError(call: "recv", code: failure) }
        return bytes
    }

    public func receive(exactly count: Int) throws -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count {
            let more = try receive(atMost: count - bytes.count)
            guard !more.isEmpty else { throw TestSocketError(call: "end of connection", code: 0) }
            bytes += more
        }
        return bytes
    }

    public func receive(until marker: String) throws -> String {
        var bytes: [UInt8] = []
        while !bytes.ends(with: marker) { bytes += try receive(exactly: 1) }
        return String(decoding: bytes, as: UTF8.self)
    }

    public func receiveToEnd() throws -> String {
        var bytes: [UInt8] = []
        while true {
            let more = try receive()
            if more.isEmpty { return String(decoding: bytes, as: UTF8.self) }
            bytes += more
        }
    }

    public func shutDownSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Reads one response, whose body has a Content-Length.
    public func response(hasBody: Bool = true) throws -> TestResponse {
        let head = try receive(until: "\r\n\r\n")
        var lines = head.split(separator: "\r\n").map(String.init)
        let status = Int(lines.removeFirst().split(separator: " ")[1])!
        var headers: [String: String] = [:]
        for line in lines {
            let parts = line.split(separator: ":", maxSplits: 1)
            headers[parts[0].lowercased()] = String(parts[1].drop { $0 == " " })
        }
        let length = hasBody ? headers["content-length"].flatMap { Int($0) } ?? 0 : 0
        return TestResponse(
            status: status, headers: headers, body: String(decoding: try receive(exactly: length), as: UTF8.self))
    }
}

public struct TestResponse: Sendable {
    public var status: Int
    public var headers: [String: String]
    public var body: String
}

extension Array where Element == UInt8 {
    fileprivate func ends(with marker: String) -> Bool {
        count >= marker.utf8.count && suffix(marker.utf8.count).elementsEqual(marker.utf8)
    }
}

/// Processor time of this process, in seconds.
public func processorSeconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}
