// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import HTTP

/// The door's own answers to connections that reach no server.
extension ProblemDetails {
    static let controlCharacter = malformedRequest("The head of the request contains a control character.")
    static let headTimeout = ProblemDetails(
        status: 408, code: "request-timeout", detail: "The head of the request did not come in time.")
    static let busy = ProblemDetails(
        status: 503, code: "too-many-connections", detail: "Too many connections are open.")

    /// False when the socket took nothing or not all.
    func send(to descriptor: Int32) -> Bool {
        var text = lastMessage
        return text.withUTF8 { bytes in
            Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
                == bytes.count
        }
    }
}
