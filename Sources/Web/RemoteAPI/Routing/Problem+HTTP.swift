// SPDX-License-Identifier: Apache-2.0

import HTTP
import Service

/// Problems as problem documents (RFC 9457).
extension Problem {
    var document: ProblemDetails {
        ProblemDetails(status: status, code: code, title: title, detail: detail, member: member)
    }

    var response: HTTPResponse {
        let retry = retryAfter.map { [("Retry-After", String($0))] } ?? []
        return document.response(fields.map { ($0.name, $0.value) } + retry)
    }

    var status: Int {
        switch kind {
        case .malformed: 400
        case .forbidden: 403
        case .unknown: 404
        case .conflict, .unplayable: 409
        case .stale: 412
        case .tooLarge: 413
        case .wrongType: 415
        case .outOfRange: 416
        case .invalid: 422
        case .tooMany: 429
        case .failed: 500
        case .network: 502
        case .unavailable: 503
        case .timedOut: 504
        case .diskFull: 507
        case .door(let status): status
        }
    }

    private var title: String {
        switch kind {
        case .malformed: "Malformed request"
        case .forbidden: "Forbidden"
        case .unknown: "Not found"
        case .conflict: "Not possible in this state"
        case .unplayable: "The item cannot be played"
        case .stale: "Precondition failed"
        case .wrongType: "Unsupported media type"
        case .outOfRange: "Range not satisfiable"
        case .invalid: "Invalid request"
        case .network: "Network failure"
        case .door(401): "Unauthorized"
        // "queue-full": "Queue full"
        case .tooLarge, .tooMany, .failed, .diskFull, .unavailable, .timedOut, .door:
            code.prefix(1).uppercased() + String(code.dropFirst().map { $0 == "-" ? " " : $0 })
        }
    }

    // MARK: Problems of HTTP alone

    static func methodNotAllowed(_ method: String, allow: String) -> Problem {
        let detail = "\(method.prefix(20)) is not possible here; use \(allow)."
        return Problem(.door(405), "method-not-allowed", detail).with("Allow", allow)
    }

    static func notAcceptable(_ detail: String) -> Problem { Problem(.door(406), "not-acceptable", detail) }

    /// The header `name` lists the accepted values.
    static func unsupportedMediaType(
        _ detail: String, _ name: String = "Accept", _ value: String = "application/json"
    ) -> Problem {
        Problem(.wrongType, "unsupported-media-type", detail).with(name, value)
    }

    static func rangeNotSatisfiable(size: UInt64) -> Problem {
        Problem(.outOfRange, "range-not-satisfiable", "It has \(size) bytes.").with("Content-Range", "bytes */\(size)")
    }

    func with(_ name: String, _ value: String) -> Problem {
        var problem = self
        problem.fields.append((name, value))
        return problem
    }
}

/// Replies with the response that `write` makes of the verb's value, or with its problem.
func answering<Value>(
    _ reply: @escaping Reply, _ write: @escaping @Sendable (Value) throws(Problem) -> HTTPResponse
) -> ServiceReply<Value> {
    { result in
        do throws(Problem) { reply(try write(try result.get())) } catch { reply(error.response) }
    }
}

/// Replies with a JSON object of the verb's value.
func object<Value>(
    _ reply: @escaping Reply, capacity: Int = 512,
    _ write: @escaping @Sendable (inout JSONWriter, Value) -> Void
) -> ServiceReply<Value> {
    answering(reply) { value in .json(capacity: capacity) { write(&$0, value) } }
}

/// Replies to a verb without a value.
func done(_ reply: @escaping Reply) -> ServiceReply<Void> { answering(reply) { HTTPResponse(status: 204) } }
