// SPDX-License-Identifier: Apache-2.0

internal import HTTP

/// What the server answers by itself.
extension HTTPResponse {
    static func tooLarge(limit: Int) -> HTTPResponse {
        ProblemDetails(
            status: 413, code: "body-too-large",
            detail: "The body may have \(limit) bytes here."
        ).response()
    }

    static var tooManyBodies: HTTPResponse {
        ProblemDetails(
            status: 503, code: "busy",
            detail: "Too many large requests are under way."
        ).response([("Retry-After", "1")])
    }

    static var tooManyAnswers: HTTPResponse {
        ProblemDetails(
            status: 503, code: "busy",
            detail: "Too many large answers wait for their clients to read them."
        ).response([("Retry-After", "1")])
    }

    /// Where a message ends, or whom it is for, could be read in two ways: nothing more of the connection is read.
    static func malformed(_ detail: String) -> HTTPResponse {
        ProblemDetails.malformedRequest(detail).response([("Connection", "close")])
    }

    /// RFC 9112 section 6.1.
    static var unknownTransferCoding: HTTPResponse {
        ProblemDetails(
            status: 501, code: "unknown-transfer-coding",
            detail: "The only transfer coding here is chunked."
        ).response([("Connection", "close")])
    }

    static var stopping: HTTPResponse {
        ProblemDetails(
            status: 503, code: "stopping", detail: "The server is stopping."
        ).response()
    }
}
