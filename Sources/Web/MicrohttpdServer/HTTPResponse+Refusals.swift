// SPDX-License-Identifier: Apache-2.0

internal import HTTP

/// The server's own error responses.
extension HTTPResponse {
    static func tooLarge(limit: Int) -> HTTPResponse {
        ProblemDetails.refusal(413, "body-too-large", "The body of this request may have at most \(limit) bytes.")
    }

    static func busy(_ detail: String) -> HTTPResponse {
        ProblemDetails.refusal(503, "busy", detail, [("Retry-After", "1")])
    }

    /// For a request whose end or host is ambiguous. The rest of the connection is not read.
    static func malformed(_ detail: String) -> HTTPResponse {
        ProblemDetails.malformedRequest(detail).response([("Connection", "close")])
    }

    /// RFC 9112 section 6.1.
    static var unknownTransferCoding: HTTPResponse {
        ProblemDetails.refusal(
            501, "unknown-transfer-coding", "The only supported transfer coding is chunked.", [("Connection", "close")])
    }

    static var stopping: HTTPResponse { ProblemDetails.refusal(503, "stopping", "The server is stopping.") }
}
