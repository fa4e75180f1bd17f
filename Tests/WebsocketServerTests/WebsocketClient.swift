// SPDX-License-Identifier: Apache-2.0

import SocketTesting

/// A received frame (RFC 6455 section 5.2).
struct ClientFrame: Equatable {
    var opcode: UInt8
    var payload: [UInt8]

    var text: String { String(decoding: payload, as: UTF8.self) }
    /// The code of a close frame.
    var code: Int? { opcode == 8 && payload.count >= 2 ? Int(payload[0]) << 8 | Int(payload[1]) : nil }
}

/// A minimal WebSocket client that can also send invalid frames.
struct WebsocketClient {
    let socket: TestSocket
    let response: String

    /// `behind` is sent together with the request.
    init(path: String, headers: String, socket: TestSocket, behind: [UInt8]) throws {
        self.socket = socket
        let request =
            "GET \(path) HTTP/1.1\r\nHost: h\r\nUpgrade: websocket\r\nConnection: keep-alive, Upgrade\r\n"
            + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\(headers)\r\n"
        try socket.send(Array(request.utf8) + behind)
        response = try socket.receive(until: "\r\n\r\n")
    }

    func send(opcode: UInt8 = 1, _ payload: [UInt8], isFinal: Bool = true) throws {
        try socket.send(Self.frame(opcode: opcode, payload, isFinal: isFinal))
    }

    static func frame(opcode: UInt8 = 1, _ payload: [UInt8], isFinal: Bool = true) -> [UInt8] {
        var frame: [UInt8] = [opcode | (isFinal ? 0x80 : 0)]
        switch payload.count {
        case ..<126: frame.append(0x80 | UInt8(payload.count))
        case ..<65_536: frame += [0x80 | 126, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]
        default: frame += [0x80 | 127] + (0..<8).reversed().map { UInt8(truncatingIfNeeded: payload.count >> ($0 * 8)) }
        }
        let mask: [UInt8] = [1, 2, 3, 4]
        return frame + mask + payload.enumerated().map { $1 ^ mask[$0 % 4] }
    }

    func send(_ text: String) throws { try send(Array(text.utf8)) }

    func receive() throws -> ClientFrame {
        let head = try socket.receive(exactly: 2)
        var length = Int(head[1] & 0x7F)
        if length >= 126 {
            length = try socket.receive(exactly: length == 126 ? 2 : 8).reduce(0) { $0 << 8 | Int($1) }
        }
        return ClientFrame(opcode: head[0] & 0x0F, payload: try socket.receive(exactly: length))
    }
}
