// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc

/// A pair of sockets on which libwebsockets answers a handshake that another server has answered already. Its 101 is dropped
/// with the pair; the client's socket then takes the descriptor that libwebsockets knows.
final class StandIn {
    /// The end that libwebsockets gets, and owns from then on.
    let descriptor: Int32
    private let otherEnd: Int32
    private let client: Int32

    /// Owns `client`, also when it fails: nil when the kernel is out of something.
    init?(for client: Int32) {
        var ends: [Int32] = [-1, -1]
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, type, 0, &ends) == 0 else {
            close(client)
            return nil
        }
        (descriptor, otherEnd) = (ends[0], ends[1])
        self.client = client
    }

    deinit {
        close(otherEnd)
        close(client)
    }

    /// The number stays; the pair's end behind it is closed, and leaves `readiness` with that.
    func giveWay(to number: Int32, _ readiness: Readiness) -> Bool {
        clinux_replace(client, number) == number && readiness.add(number)
    }
}
