// SPDX-License-Identifier: Apache-2.0

internal import CMicrohttpd
internal import Glibc
internal import HTTP

/// Upgrades, which end HTTP on a connection.
extension Exchange {
    static func upgradeResponse() -> OpaquePointer? {
        MHD_create_response_for_upgrade(
            { _, connection, requestContext, received, count, descriptor, handle in
                guard let connection, let requestContext, let handle else { return }
                let read = UnsafeRawBufferPointer(start: received, count: received == nil ? 0 : count)
                Unmanaged<Exchange>.fromOpaque(requestContext).takeUnretainedValue()
                    .leave(connection, descriptor, read)
                cmicrohttpd_release_upgraded(handle)
            }, nil)
    }

    /// The connection continues under a new descriptor. libmicrohttpd closes its own and forgets the connection.
    private func leave(_ connection: OpaquePointer, _ descriptor: Int32, _ received: UnsafeRawBufferPointer) {
        guard let client = Client.of(connection), let upgraded = takeUpgraded() else { return }
        let own = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard own >= 0 else { return }
        // libmicrohttpd changes both options while it sends.
        var (on, off): (Int32, Int32) = (1, 0)
        let size = socklen_t(MemoryLayout<Int32>.size)
        setsockopt(own, Int32(IPPROTO_TCP), TCP_CORK, &off, size)
        setsockopt(own, Int32(IPPROTO_TCP), TCP_NODELAY, &on, size)
        upgraded(UpgradedConnection(descriptor: own, received: Array(received), lease: client.lease))
    }
}
