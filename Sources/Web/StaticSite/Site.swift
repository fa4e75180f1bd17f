// SPDX-License-Identifier: Apache-2.0

public import HTTP

/// The page, and what is answered where there is none.
public struct Site: HTTPResponder {
    private let files: StaticFiles

    public init(files: StaticFiles) {
        self.files = files
    }

    public func respond(to request: HTTPRequest, reply: @escaping @Sendable (HTTPResponse) -> Void) {
        let missing = ProblemDetails(
            status: 404, code: "not-found", title: "Not found", detail: "The page has no such file.")
        reply(files.response(to: request) ?? missing.response())
    }
}
