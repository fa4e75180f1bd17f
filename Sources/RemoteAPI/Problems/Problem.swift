// SPDX-License-Identifier: Apache-2.0

import HTTP

/// Why a request was refused, as `application/problem+json` (RFC 9457). `code` is stable; `detail` is for people.
struct Problem: Error, Sendable {
    var status: Int
    var code: String
    var title: String
    var detail: String
    /// Path of the offending member or the name of the query parameter, for 422.
    var member: String?
    var headers: [(String, String)] = []

    var response: HTTPResponse {
        ProblemDetails(status: status, code: code, title: title, detail: detail, member: member).response(headers)
    }
}

extension Problem {
    static func malformed(_ detail: String) -> Problem {
        Problem(status: 400, code: "malformed", title: "Malformed request", detail: detail)
    }

    static func notFound(_ detail: String, code: String = "not-found") -> Problem {
        Problem(status: 404, code: code, title: "Not found", detail: detail)
    }

    static func methodNotAllowed(_ method: String, allow: String) -> Problem {
        Problem(
            status: 405, code: "method-not-allowed", title: "Method not allowed",
            detail: "\(method.prefix(20)) is not possible here; use \(allow).", headers: [("Allow", allow)])
    }

    static func notAcceptable(_ detail: String) -> Problem {
        Problem(status: 406, code: "not-acceptable", title: "Not acceptable", detail: detail)
    }

    static func revisionMismatch(_ headers: [(String, String)] = []) -> Problem {
        Problem(
            status: 412, code: "revision-mismatch", title: "Precondition failed",
            detail: "The queue has another revision by now: read it again and repeat the change.", headers: headers)
    }

    static func tooLarge(_ detail: String, code: String = "too-large") -> Problem {
        Problem(status: 413, code: code, title: "Too large", detail: detail)
    }

    static func unsupportedMediaType(
        _ detail: String, _ headers: [(String, String)] = [("Accept", "application/json")]
    ) -> Problem {
        Problem(
            status: 415, code: "unsupported-media-type", title: "Unsupported media type", detail: detail,
            headers: headers)
    }

    static func rangeNotSatisfiable(size: UInt64) -> Problem {
        Problem(
            status: 416, code: "range-not-satisfiable", title: "Range not satisfiable",
            detail: "It has \(size) bytes.", headers: [("Content-Range", "bytes */\(size)")])
    }

    static func invalid(_ member: String, _ detail: String, code: String = "invalid") -> Problem {
        Problem(status: 422, code: code, title: "Invalid request", detail: detail, member: member)
    }

    static func busy(_ detail: String) -> Problem {
        Problem(
            status: 503, code: "busy", title: "Busy", detail: detail, headers: [("Retry-After", "1")])
    }
}
