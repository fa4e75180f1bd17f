// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc
internal import HTTP

/// A listening Unix socket for proxies and local programs. Its file is accessible to the server's user and group.
struct LocalSocket {
    /// The caller owns it.
    let descriptor: Int32
    private let path: String

    /// Replaces the socket file of a server that has ended, but not of a running one.
    init(path: String) throws(ListenError) {
        guard let address = SocketAddress(path: path) else { throw .failed(call: path, code: ENAMETOOLONG) }
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let descriptor = socket(AF_UNIX, type, 0)
        guard descriptor >= 0 else { throw .failed(call: "socket", code: errno) }
        do throws(ListenError) {
            try Self.bind(descriptor, address, path)
            // Before listening, so that no other user connects in between.
            guard chmod(path, 0o660) == 0 else { throw .failed(call: path, code: errno) }
            guard listen(descriptor, 1024) == 0 else { throw .failed(call: "listen", code: errno) }
        } catch {
            close(descriptor)
            throw error
        }
        self.descriptor = descriptor
        self.path = path
    }

    private static func bind(_ descriptor: Int32, _ address: SocketAddress, _ path: String) throws(ListenError) {
        if address.withPointer({ Glibc.bind(descriptor, $0, $1) }) == 0 { return }
        guard errno == EADDRINUSE else { throw .failed(call: path, code: errno) }
        // Connecting to a regular file fails like connecting to a socket without a server.
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else {
            throw .failed(call: path, code: EADDRINUSE)
        }
        let probe = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard probe >= 0 else { throw .failed(call: "socket", code: errno) }
        defer { close(probe) }
        // Any result but a refused connection means that a server is listening.
        guard address.withPointer({ connect(probe, $0, $1) }) != 0, errno == ECONNREFUSED, unlink(path) == 0,
            address.withPointer({ Glibc.bind(descriptor, $0, $1) }) == 0
        else { throw .failed(call: path, code: EADDRINUSE) }
    }

    func remove() {
        unlink(path)
    }

    /// The server's own user counts as loopback; other users, such as a proxy's, do not.
    static func peer(of descriptor: Int32) -> HTTPPeer {
        let user = clinux_peer_user(descriptor)
        return user == Int64(geteuid()) ? .loopback : .user(UInt32(truncatingIfNeeded: user))
    }
}
