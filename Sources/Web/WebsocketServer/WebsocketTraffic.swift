// SPDX-License-Identifier: Apache-2.0

internal import CWebsockets
internal import HTTP

/// Incoming messages and outgoing frames. WebSocket thread only.
final class WebsocketTraffic {
    /// Bytes of a message.
    static let messageLimit = 65_536
    /// A buffer for frames, with the room that libwebsockets needs before them; shared by all clients.
    private var buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 4096, alignment: 16)
    /// Frames for one client before the other clients get their turn.
    private static let framesPerTurn = 32

    deinit { buffer.deallocate() }

    /// libwebsockets' callback for one client; a result other than 0 ends the connection.
    func handle(
        _ connection: Connection, _ handle: OpaquePointer, _ reason: lws_callback_reasons,
        _ input: UnsafeMutableRawPointer?, _ length: Int
    ) -> Int32 {
        switch reason {
        case LWS_CALLBACK_ESTABLISHED:
            connection.open()
            return 0
        case LWS_CALLBACK_RECEIVE:
            return receive(connection, handle, UnsafeRawBufferPointer(start: input, count: input == nil ? 0 : length))
        case LWS_CALLBACK_WS_PEER_INITIATED_CLOSE:
            connection.isEnding = true
            // libwebsockets answers 1002 to reserved codes by itself, but echoes those beyond the ranges of RFC 6455
            // section 7.4.2, and half a code (section 5.5.1).
            let payload = UnsafeRawBufferPointer(start: input, count: input == nil ? 0 : length)
            let isWrong = payload.count == 1 || (payload.count >= 2 && Int(payload[0]) << 8 | Int(payload[1]) >= 5000)
            return isWrong ? end(connection, handle, .protocolError) : 0
        case LWS_CALLBACK_SERVER_WRITEABLE: return write(connection, handle)
        case LWS_CALLBACK_CLOSED, LWS_CALLBACK_WSI_DESTROY:
            connection.close()
            return 0
        default: return 0
        }
    }

    private func receive(_ connection: Connection, _ handle: OpaquePointer, _ bytes: UnsafeRawBufferPointer) -> Int32 {
        if lws_frame_is_binary(handle) != 0 { return end(connection, handle, .unsupportedData) }
        if lws_is_first_fragment(handle) != 0 { connection.message = [] }
        guard connection.message.count + bytes.count <= Self.messageLimit else {
            return end(connection, handle, .tooBig)
        }
        connection.message.append(contentsOf: bytes)
        guard lws_is_final_fragment(handle) != 0 else { return 0 }
        let text = String(validating: connection.message, as: UTF8.self)
        connection.message = []
        guard let text else { return end(connection, handle, .invalidData) }
        connection.session?.received(text: text)
        return 0
    }

    /// Writes outside of libwebsockets' callback: requesting the callback costs two system calls for each frame, and
    /// the socket almost always has room. libwebsockets buffers the unwritten rest, one frame at most; then its
    /// callback continues.
    func writeAtOnce(_ connection: Connection, _ handle: OpaquePointer) {
        guard connection.mayWrite else { return }
        guard connection.held == nil, connection.ending == nil, lws_partial_buffered(handle) == 0 else {
            askToWrite(connection, handle)
            return
        }
        guard let frame = connection.nextFrame() else { return }
        guard case .text(let shared) = frame else { return hold(frame, connection, handle) }
        guard send(shared.bytes, to: handle) else {
            connection.isEnding = true
            lws_set_timeout(handle, PENDING_TIMEOUT_USER_OK, Int32(LWS_TO_KILL_ASYNC))
            return
        }
        // Pulls until there is no frame, as after the callback: a second frame is rare.
        if let next = connection.nextFrame() { hold(next, connection, handle) }
    }

    private func hold(_ frame: WebSocketFrame, _ connection: Connection, _ handle: OpaquePointer) {
        connection.held = frame
        askToWrite(connection, handle)
    }

    func askToWrite(_ connection: Connection, _ handle: OpaquePointer) {
        connection.asksToWrite = true
        lws_callback_on_writable(handle)
    }

    private func write(_ connection: Connection, _ handle: OpaquePointer) -> Int32 {
        connection.asksToWrite = false
        if let ending = connection.ending { return end(connection, handle, ending) }
        for sent in 0..<Self.framesPerTurn {
            guard let frame = connection.nextFrame() else { return 0 }
            // The socket has room for the first frame, which caused this call. Asking costs a system call.
            if sent > 0, lws_send_pipe_choked(handle) != 0 {
                connection.held = frame
                break
            }
            switch frame {
            case .close(let code, let reason):
                return end(connection, handle, WebSocketEnding(code: code, reason: reason))
            case .text(let shared): if !send(shared.bytes, to: handle) { return -1 }
            }
        }
        askToWrite(connection, handle)
        return 0
    }

    private func send(_ bytes: [UInt8], to handle: OpaquePointer) -> Bool {
        let needed = cwebsockets_prefix + bytes.count
        if buffer.count < needed {
            buffer.deallocate()
            buffer = .allocate(byteCount: needed, alignment: 16)
        }
        let payload = UnsafeMutableRawBufferPointer(rebasing: buffer[cwebsockets_prefix..<needed])
        payload.copyBytes(from: bytes)
        let start = buffer.baseAddress!.assumingMemoryBound(to: UInt8.self) + cwebsockets_prefix
        return lws_write(handle, start, bytes.count, LWS_WRITE_TEXT) >= 0
    }

    private func end(_ connection: Connection, _ handle: OpaquePointer, _ ending: WebSocketEnding) -> Int32 {
        connection.isEnding = true
        var reason = Array(ending.reason.utf8.prefix(123))
        lws_close_reason(handle, lws_close_status(UInt32(ending.code)), &reason, reason.count)
        return -1
    }
}
