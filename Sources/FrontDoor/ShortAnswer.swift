// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import HTTP

/// What the door says by itself to a connection that reaches no server.
struct ShortAnswer {
    let text: String

    static let malformed = ShortAnswer(
        400, "Bad Request", "malformed-request", "This does not begin as an HTTP/1.1 request does.")
    static let controlCharacter = ShortAnswer(
        400, "Bad Request", "malformed-request", "The head of the request contains a control character.")
    static let headTimeout = ShortAnswer(
        408, "Request Timeout", "request-timeout", "The head of the request did not come in time.")
    static let headTooLarge = ShortAnswer(
        431, "Request Header Fields Too Large", "head-too-large", "The head of the request is too large.")
    static let busy = ShortAnswer(
        503, "Service Unavailable", "too-many-connections", "Too many connections are open.")

    private init(_ status: Int, _ title: String, _ code: String, _ detail: String) {
        let body = ProblemDetails(status: status, code: code, title: title, detail: detail).json
        text =
            "HTTP/1.1 \(status) \(title)\r\nContent-Type: \(ProblemDetails.mediaType)\r\n"
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
