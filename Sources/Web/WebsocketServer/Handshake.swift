// SPDX-License-Identifier: Apache-2.0

internal import CWebsockets
internal import HTTP

/// The opening handshake up to the point where libwebsockets takes over (RFC 6455 section 4.2).
///
/// The application decides on the original request; libwebsockets gets a rewritten, minimal one. So its limits and its
/// own choice of subprotocols and extensions do not matter, and a handshake takes few bytes.
enum Handshake {
    /// A client that the application admits.
    struct Accepted: Sendable {
        var session: any WebSocketSession
        var subprotocol: String?
        fileprivate var key: String

        /// The request for libwebsockets.
        var rewritten: [UInt8] {
            let text =
                "GET / HTTP/1.1\r\nHost: tonearm\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                + "Sec-WebSocket-Key: \(key)\r\nSec-WebSocket-Version: 13\r\n\r\n"
            return Array(text.utf8)
        }

        /// Header fields of the 101; the HTTP server adds `Connection`.
        var headers: HTTPHeaders {
            var accept = [CChar](repeating: 0, count: 32)
            cwebsockets_accept_key(key, &accept, accept.count)
            let digest = String(decoding: accept.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
            var headers = HTTPHeaders([("Upgrade", "websocket"), ("Sec-WebSocket-Accept", digest)])
            if let subprotocol { headers.add("Sec-WebSocket-Protocol", subprotocol) }
            return headers
        }
    }

    enum Outcome {
        case accepted(Accepted)
        case refused(HTTPResponse)
    }

    /// `request` is a GET with `websocket` in its Upgrade field.
    static func decide(_ request: HTTPRequest, application: any WebSocketApplication) -> Outcome {
        guard request.headers.hasToken("upgrade", in: "Connection"), let key = request.headers["Sec-WebSocket-Key"],
            isKey(key)
        else {
            return .refused(
                refusal(400, "malformed-handshake", "The fields of the handshake do not conform to RFC 6455."))
        }
        // The content of a body would be read as frames.
        let framing = BodyFraming(
            lengths: request.headers.values("Content-Length"), codings: request.headers.values("Transfer-Encoding"))
        guard framing == .none || framing == .length(0) else {
            return .refused(refusal(400, "malformed-handshake", "A WebSocket's request has no body."))
        }
        guard request.headers["Sec-WebSocket-Version"] == "13" else {
            var response = refusal(426, "unsupported-version", "Only WebSocket version 13 is supported.")
            response.headers.add("Sec-WebSocket-Version", "13")
            return .refused(response)
        }
        switch application.accept(request) {
        case .refused(let response): return .refused(response)
        case .accepted(let session, let subprotocol):
            return .accepted(Accepted(session: session, subprotocol: subprotocol, key: key))
        }
    }

    /// 16 bytes in base64.
    private static func isKey(_ key: String) -> Bool {
        key.utf8.count == 24 && key.hasSuffix("==")
            && key.utf8.dropLast(2).allSatisfy { byte in
                (65...90).contains(byte) || (97...122).contains(byte) || (48...57).contains(byte) || byte == 43
                    || byte == 47
            }
    }

    private static func refusal(_ status: Int, _ code: String, _ detail: String) -> HTTPResponse {
        ProblemDetails(status: status, code: code, detail: detail).response()
    }
}
