// SPDX-License-Identifier: Apache-2.0

import HTTP
import Service

/// Problems as problem documents (RFC 9457).
extension Problem {
    var response: HTTPResponse {
        // "queue-full": "Queue full"
        let words = code.prefix(1).uppercased() + String(code.dropFirst().map { $0 == "-" ? " " : $0 })
        let document = ProblemDetails(
            status: status, code: code, title: answer.title ?? words, detail: detail, member: member)
        let retry = retryAfter.map { [("Retry-After", String($0))] } ?? []
        return document.response(fields.map { ($0.name, $0.value) } + retry)
    }

    var status: Int { answer.status }

    /// Without a title the code is the title.
    private var answer: (status: Int, title: String?) {
        switch kind {
        case .malformed: (400, "Malformed request")
        case .forbidden: (403, "Forbidden")
        case .unknown: (404, "Not found")
        case .conflict: (409, "Not possible in this state")
        case .unplayable: (409, "The item cannot be played")
        case .stale: (412, "Precondition failed")
        case .tooLarge: (413, nil)
        case .wrongType: (415, "Unsupported media type")
        case .outOfRange: (416, "Range not satisfiable")
        case .invalid: (422, "Invalid request")
        case .tooMany: (429, nil)
        case .failed: (500, nil)
        case .network: (502, "Network failure")
        case .unavailable: (503, nil)
        case .timedOut: (504, nil)
        case .diskFull: (507, nil)
        case .door(401): (401, "Unauthorized")
        case .door(let status): (status, nil)
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
