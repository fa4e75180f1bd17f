// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import HTTP

/// The opening handshake up to the point where libwebsockets goes on (RFC 6455 section 4.2).
///
/// The application decides on the request as it was sent; libwebsockets gets a rewritten, minimal one. So its limits
/// and its own choice of subprotocols and extensions do not matter, and few bytes are kept per handshake.
enum Handshake {
    enum Outcome {
        case accepted(any WebSocketSession, subprotocol: String?, rewritten: [UInt8])
        case refused(HTTPResponse)
    }

    static func decide(_ incoming: IncomingConnection, application: any WebSocketApplication) -> Outcome {
        guard let head = RequestHead(incoming.head), head.isWebSocketUpgrade else {
            return .refused(refusal(400, "malformed-request", "The request cannot be read."))
        }
        // RFC 9112 section 3.2.
        guard head.headers.values("Host").count <= 1 else {
            return .refused(refusal(400, "malformed-request", "There are several Host fields."))
        }
        guard head.headers.hasToken("upgrade", in: "Connection"), let key = head.headers["Sec-WebSocket-Key"],
            isKey(key)
        else {
            return .refused(
                refusal(400, "malformed-handshake", "The fields of the handshake are not as RFC 6455 asks."))
        }
        guard head.headers["Sec-WebSocket-Version"] == "13" else {
            var response = refusal(426, "unsupported-version", "Version 13 is spoken here.")
            response.headers.add("Sec-WebSocket-Version", "13")
            return .refused(response)
        }
        let target = RequestTarget(head.target)
        guard target.isKnownForm else {
            return .refused(refusal(400, "malformed-request", "The target of the request cannot be read."))
        }
        let request = HTTPRequest(
            method: head.method, path: target.path, query: target.query, headers: head.headers.addressed(to: target),
            peer: incoming.peer)
        switch application.accept(request) {
        case .refused(let response): return .refused(response)
        case .accepted(let session, let subprotocol):
            let rewritten =
                "GET / HTTP/1.1\r\nHost: tonearm\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                + "Sec-WebSocket-Key: \(key)\r\nSec-WebSocket-Version: 13\r\n\r\n"
            return .accepted(session, subprotocol: subprotocol, rewritten: Array(rewritten.utf8))
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
        ProblemDetails(status: status, code: code, title: reason(status), detail: detail).response()
    }

    /// The answer as it goes over the wire; the connection closes behind it. Only bodies of bytes: a refusal is short.
    static func serialized(_ response: HTTPResponse) -> [UInt8] {
        let body: [UInt8] =
            switch response.body {
            case .none, .file, .stream: []
            case .bytes(let bytes): bytes
            case .shared(let shared): shared.bytes
            }
        var text = "HTTP/1.1 \(response.status) \(reason(response.status))\r\n"
        var seconds = timespec()
        clock_gettime(CLOCK_REALTIME, &seconds)
        text += "Date: \(HTTPDate.format(Int64(seconds.tv_sec)))\r\n"
        for (name, value) in response.headers.fields where !name.equalsIgnoringASCIICase("Content-Length") {
            text += "\(name): \(value)\r\n"
        }
        text += "Content-Length: \(body.count)\r\nConnection: close\r\n\r\n"
        return Array(text.utf8) + body
    }

    private static func reason(_ status: Int) -> String {
        switch status {
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 421: "Misdirected Request"
        case 426: "Upgrade Required"
        case 429: "Too Many Requests"
        case 503: "Service Unavailable"
        default: "Refused"
        }
    }
}
