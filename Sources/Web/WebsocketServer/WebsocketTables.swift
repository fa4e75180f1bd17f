// SPDX-License-Identifier: Apache-2.0

internal import CWebsockets

/// Data that libwebsockets refers to as long as its context exists; this object is the context's user pointer.
/// WebSocket thread only, once the context exists.
final class WebsocketTables {
    let protocols: UnsafeMutablePointer<lws_protocols>
    let validity: UnsafeMutablePointer<lws_retry_bo_t>
    let timer: UnsafeMutablePointer<lws_sorted_usec_list_t>
    private let name: UnsafeMutablePointer<CChar>
    /// The receiver of callbacks; nil before the loop runs.
    weak var loop: WebsocketLoop?
    /// The connection that libwebsockets is adopting: its callbacks come before that call returns.
    var adopting: Connection?

    init(pingSeconds: Int) {
        name = UnsafeMutablePointer<CChar>.allocate(capacity: 1)
        name.initialize(to: 0)
        protocols = .allocate(capacity: 2)
        protocols.initialize(repeating: lws_protocols(), count: 2)
        protocols[0].name = UnsafePointer(name)
        protocols[0].callback = { handle, reason, _, input, length in
            guard let handle, let context = lws_get_context(handle), let user = lws_context_user(context) else {
                return 0
            }
            let tables = Unmanaged<WebsocketTables>.fromOpaque(user).takeUnretainedValue()
            return tables.loop?.handle(handle, reason, input, length, adopting: tables.adopting) ?? 0
        }
        // Larger messages arrive in pieces of this size; each client has such a buffer.
        protocols[0].rx_buffer_size = 512
        // Otherwise libwebsockets would write in pieces of that size too: copy the rest of each frame, wait for the
        // socket in between, and truncate the frame if the client closes meanwhile.
        protocols[0].tx_packet_size = 1 << 20
        timer = .allocate(capacity: 1)
        timer.initialize(to: lws_sorted_usec_list_t())
        validity = .allocate(capacity: 1)
        validity.initialize(to: lws_retry_bo_t())
        validity.pointee.secs_since_valid_ping = UInt16(clamping: pingSeconds)
        validity.pointee.secs_since_valid_hangup = UInt16(clamping: pingSeconds + max(1, pingSeconds / 3))
    }

    var opaque: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    deinit {
        protocols.deallocate()
        timer.deallocate()
        validity.deallocate()
        name.deallocate()
    }
}
