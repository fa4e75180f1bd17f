// SPDX-License-Identifier: Apache-2.0

/// Problems of unreadable requests. The front door checks the first head of a connection, the HTTP library the later ones.
extension ProblemDetails {
    public static func malformedRequest(_ detail: String) -> ProblemDetails {
        ProblemDetails(status: 400, code: "malformed-request", detail: detail)
    }

    static let malformedLine = malformedRequest("The first line is not that of an HTTP/1.1 request.")

    static let otherVersion = ProblemDetails(
        status: 505, code: "http-version", detail: "Only HTTP/1.0 and HTTP/1.1 are supported.")

    public static let headTooLarge = ProblemDetails(
        status: 431, code: "head-too-large", detail: "The head of the request is too large.")

    public static let targetTooLong = ProblemDetails(
        status: 414, code: "target-too-long", detail: "The target of the request is too long.")

    /// The problem for a status with which the HTTP library rejects a request before the responder sees it.
    public static func unreadableRequest(status: Int) -> ProblemDetails {
        switch status {
        case 413: ProblemDetails(status: 413, code: "body-too-large", detail: "The body is too large.")
        case 414: targetTooLong
        case 431: headTooLarge
        case 505: otherVersion
        case 400..<500: malformedRequest("The request cannot be read.")
        default: ProblemDetails(status: status, code: "unreadable-request", detail: "The request cannot be read.")
        }
    }
}
