// SPDX-License-Identifier: Apache-2.0

internal import HTTP

/// What the server answers by itself.
extension HTTPResponse {
    static func tooLarge(limit: Int) -> HTTPResponse {
        problem(413, "Content Too Large", "body-too-large", detail: "the body may have \(limit) bytes")
    }

    /// This connection speaks HTTP already and cannot change (RFC 9110 section 15.5.22).
    static var upgradeOnUsedConnection: HTTPResponse {
        var response = problem(
            426, "Upgrade Required", "upgrade-on-used-connection", detail: "open a new connection for the WebSocket")
        response.headers.add("Upgrade", "websocket")
        response.headers.add("Connection", "close")
        return response
    }

    static var stopping: HTTPResponse {
        problem(503, "Service Unavailable", "stopping", detail: "the server is stopping")
    }

    private static func problem(_ status: Int, _ title: String, _ code: String, detail: String) -> HTTPResponse {
        let body = "{\"title\":\"\(title)\",\"status\":\(status),\"code\":\"\(code)\",\"detail\":\"\(detail)\"}"
        return HTTPResponse(
            status: status, headers: HTTPHeaders([("Content-Type", "application/problem+json")]),
            body: .bytes(Array(body.utf8)))
    }
}
