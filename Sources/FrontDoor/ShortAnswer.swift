// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// What the door says by itself to a connection that reaches no server.
struct ShortAnswer {
    let text: String

    static let malformed = ShortAnswer(400, "Bad Request", "malformed-request")
    static let headTimeout = ShortAnswer(408, "Request Timeout", "request-timeout")
    static let headTooLarge = ShortAnswer(431, "Request Header Fields Too Large", "head-too-large")
    static let busy = ShortAnswer(503, "Service Unavailable", "too-many-connections")

    private init(_ status: Int, _ title: String, _ code: String) {
        let body = "{\"title\":\"\(title)\",\"status\":\(status),\"code\":\"\(code)\"}"
        text =
            "HTTP/1.1 \(status) \(title)\r\nContent-Type: application/problem+json\r\n"
            + "Content-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n\(body)"
    }

    /// False when the socket took nothing or not all.
    func send(to descriptor: Int32) -> Bool {
        var text = text
        return text.withUTF8 { bytes in
            Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
                == bytes.count
        }
    }
}
