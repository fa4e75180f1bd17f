// SPDX-License-Identifier: Apache-2.0

/// Why a request was refused (RFC 9457), for everyone who answers before or beside the API.
public struct ProblemDetails: Hashable, Sendable {
    public static let mediaType = "application/problem+json"

    public var status: Int
    /// Stable, for programs.
    public var code: String
    public var title: String
    /// A sentence, for people.
    public var detail: String

    public init(status: Int, code: String, title: String, detail: String) {
        self.status = status
        self.code = code
        self.title = title
        self.detail = detail
    }

    public var json: String {
        "{\"type\":\"urn:tonearm:problem:\(code)\",\"title\":\"\(Self.escaped(title))\",\"status\":\(status),"
            + "\"detail\":\"\(Self.escaped(detail))\",\"code\":\"\(code)\"}"
    }

    public func response(_ headers: [(String, String)] = []) -> HTTPResponse {
        HTTPResponse(
            status: status,
            headers: HTTPHeaders([("Content-Type", Self.mediaType), ("Cache-Control", "no-store")] + headers),
            body: .bytes(Array(json.utf8)))
    }

    private static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": result += "\\\(scalar)"
            case _ where scalar.value < 32: result += " "
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
