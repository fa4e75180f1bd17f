// SPDX-License-Identifier: Apache-2.0

/// The reason for an error response (RFC 9457), and its only encoder.
public struct ProblemDetails: Hashable, Sendable {
    public static let mediaType = "application/problem+json"

    public var status: Int
    /// Stable, for programs.
    public var code: String
    public var title: String
    /// A sentence, for people.
    public var detail: String
    /// For 422: the path of the member, or the name of the query parameter, at fault.
    public var member: String?

    /// `title` defaults to the reason phrase of the status.
    public init(status: Int, code: String, title: String? = nil, detail: String, member: String? = nil) {
        self.status = status
        self.code = code
        self.title = title ?? Self.reason(status)
        self.detail = detail
        self.member = member
    }

    /// The reason phrase of a status (RFC 9110 section 15) that problems without a title have.
    private static func reason(_ status: Int) -> String {
        switch status {
        case 400: "Bad Request"
        case 408: "Request Timeout"
        case 413: "Content Too Large"
        case 414: "URI Too Long"
        case 426: "Upgrade Required"
        case 431: "Request Header Fields Too Large"
        case 501: "Not Implemented"
        case 503: "Service Unavailable"
        case 505: "HTTP Version Not Supported"
        default: "Internal Server Error"
        }
    }

    public var json: String {
        var text =
            "{\"type\":\"urn:tonearm:problem:\(code)\",\"title\":\"\(Self.escaped(title))\",\"status\":\(status),"
        text += "\"detail\":\"\(Self.escaped(detail))\",\"code\":\"\(code)\""
        if let member { text += ",\"member\":\"\(Self.escaped(member))\"" }
        return text + "}"
    }

    public func response(_ headers: [(String, String)] = []) -> HTTPResponse {
        HTTPResponse(
            status: status,
            headers: HTTPHeaders(
                [("Content-Type", Self.mediaType), ("Cache-Control", "no-store")] + HTTPHeaders.isolation + headers),
            body: .bytes(Array(json.utf8)))
    }

    public static func refusal(
        _ status: Int, _ code: String, _ detail: String, _ headers: [(String, String)] = []
    ) -> HTTPResponse {
        ProblemDetails(status: status, code: code, detail: detail).response(headers)
    }

    /// The whole response as text, after which the connection is closed. For code that writes to the socket itself.
    public var lastMessage: String {
        let body = json
        var head = "HTTP/1.1 \(status) \(title)\r\nContent-Type: \(Self.mediaType)\r\nCache-Control: no-store\r\n"
        for (name, value) in HTTPHeaders.isolation { head += "\(name): \(value)\r\n" }
        return head + "Content-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n\(body)"
    }

    /// The contents of a JSON string (RFC 8259 section 7).
    private static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": result += "\\\(scalar)"
            case _ where scalar.value < 32:
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
