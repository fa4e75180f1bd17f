// SPDX-License-Identifier: Apache-2.0

internal import HTTP

/// What the server answers by itself.
extension HTTPResponse {
    static func tooLarge(limit: Int) -> HTTPResponse {
        ProblemDetails.refusal(413, "body-too-large", "The body may have \(limit) bytes here.")
    }

    static func busy(_ detail: String) -> HTTPResponse {
        ProblemDetails.refusal(503, "busy", detail, [("Retry-After", "1")])
    }

    /// Where a message ends, or whom it is for, could be read in two ways: nothing more of the connection is read.
    static func malformed(_ detail: String) -> HTTPResponse {
        ProblemDetails.malformedRequest(detail).response([("Connection", "close")])
    }

    /// RFC 9112 section 6.1.
    static var unknownTransferCoding: HTTPResponse {
        ProblemDetails.refusal(
            501, "unknown-transfer-coding", "The only transfer coding here is chunked.", [("Connection", "close")])
    }

    static var stopping: HTTPResponse { ProblemDetails.refusal(503, "stopping", "The server is stopping.") }
}
