// SPDX-License-Identifier: Apache-2.0

public import HTTP

/// The page, and what is answered where there is none.
public struct Site: HTTPResponder {
    private let files: StaticFiles

    public init(files: StaticFiles) {
        self.files = files
    }

    public func respond(to request: HTTPRequest, reply: @escaping @Sendable (HTTPResponse) -> Void) {
        reply(
            files.response(to: request)
                ?? HTTPResponse(
                    status: 404, headers: HTTPHeaders([("Content-Type", "text/plain; charset=utf-8")]),
                    body: .bytes(Array("There is no such page.\n".utf8))))
    }
}
