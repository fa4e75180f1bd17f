// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import HTTP

/// The door's own answer to a connection that reaches no server.
struct ShortAnswer {
    let text: String

    static let controlCharacter = ShortAnswer(
        .malformedRequest("The head of the request contains a control character."))
    static let headTimeout = ShortAnswer(
        ProblemDetails(
            status: 408, code: "request-timeout", title: "Request Timeout",
            detail: "The head of the request did not come in time."))
    static let headTooLarge = ShortAnswer(.headTooLarge)
    static let targetTooLong = ShortAnswer(.targetTooLong)
    static let busy = ShortAnswer(
        ProblemDetails(
            status: 503, code: "too-many-connections", title: "Service Unavailable",
            detail: "Too many connections are open."))

    init(_ problem: ProblemDetails) {
        text = problem.lastMessage
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
