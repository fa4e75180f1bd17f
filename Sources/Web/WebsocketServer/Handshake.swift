// SPDX-License-Identifier: Apache-2.0

internal import CWebsockets
internal import HTTP
internal import Kernel

/// The opening handshake (RFC 6455 section 4.2).
enum Handshake {
    /// The request that libwebsockets reads in place of the client's. So its limits and its own choice of subprotocols and
    /// extensions do not matter, and a handshake takes few bytes. Its 101 is dropped, so the key does not matter either.
    static let rewritten = Array(
        ("GET / HTTP/1.1\r\nHost: tonearm\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            + "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n").utf8)

    /// Header fields of the 101; the HTTP server adds `Connection`.
    static func headers(key: String, subprotocol: String?) -> HTTPHeaders {
        var accept = [CChar](repeating: 0, count: 32)
        cwebsockets_accept_key(key, &accept, accept.count)
        let digest = String(decoding: accept.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        return HTTPHeaders(
            [("Upgrade", "websocket"), ("Sec-WebSocket-Accept", digest)]
                + (subprotocol.map { [("Sec-WebSocket-Protocol", $0)] } ?? []))
    }

    /// Why a GET with `websocket` in its Upgrade field is no handshake.
    static func refusal(of request: HTTPRequest, key: String) -> HTTPResponse? {
        // 16 bytes in base64.
        guard request.headers.hasToken("upgrade", in: "Connection"),
            request.headers.values("Sec-WebSocket-Key").count == 1, key.utf8.count == 24, key.hasSuffix("=="),
            key.utf8.dropLast(2).allSatisfy({ PercentEncoding.isAlphanumeric($0) || "+/".utf8.contains($0) })
        else {
            return ProblemDetails.refusal(
                400, "malformed-handshake", "The fields of the handshake do not conform to RFC 6455.")
        }
        // The content of a body would be read as frames.
        let framing = BodyFraming(
            lengths: request.headers.values("Content-Length"), codings: request.headers.values("Transfer-Encoding"))
        guard framing == .none || framing == .length(0) else {
            return ProblemDetails.refusal(400, "malformed-handshake", "A WebSocket's request has no body.")
        }
        guard request.headers.values("Sec-WebSocket-Version") == ["13"] else {
            return ProblemDetails.refusal(
                426, "unsupported-version", "Only WebSocket version 13 is supported.", [("Sec-WebSocket-Version", "13")]
            )
        }
        return nil
    }
}
