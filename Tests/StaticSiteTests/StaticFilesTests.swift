// SPDX-License-Identifier: Apache-2.0

import HTTP
import KernelTesting
import StaticSite
import Testing

@Suite struct StaticFilesTests {
    let folder: TemporaryFolder
    let files: StaticFiles

    init() throws {
        folder = try TemporaryFolder()
        try folder.directory("lib")
        try folder.file("index.html", "<p>")
        try folder.file("app.js", String(repeating: "let a = 1;\n", count: 500))
        try folder.file("big.png", String(repeating: "a", count: 2 << 20))
        try folder.file(".hidden")
        for name in ["a.css", "a.svg", "a.webmanifest"] { try folder.file("lib/\(name)") }
        try folder.link("link", to: "/etc/passwd")
        try folder.link("linked", to: "lib")
        files = try #require(StaticFiles(directory: folder.path))
    }

    private func get(_ path: String, _ headers: [(String, String)] = [], method: HTTPMethod = .get) -> HTTPResponse? {
        files.response(to: HTTPRequest(method: method, path: path, headers: HTTPHeaders(headers)))
    }

    private func bytes(_ response: HTTPResponse) -> [UInt8]? {
        guard case .shared(let shared) = response.body else { return nil }
        return shared.bytes
    }

    @Test func servesTheIndex_withPolicy() throws {
        let response = try #require(get("/"))
        #expect(response.status == 200 && bytes(response) == Array("<p>".utf8))
        #expect(response.headers["Content-Type"] == "text/html; charset=utf-8")
        #expect(response.headers["Cache-Control"] == "no-cache")
        let policy = try #require(response.headers["Content-Security-Policy"])
        #expect(policy.contains("frame-ancestors 'none'") && policy.contains("require-trusted-types-for 'script'"))
        #expect(policy.contains("default-src 'self'") && !policy.contains("unsafe"))
        #expect(response.headers["X-Content-Type-Options"] == "nosniff")
        #expect(get("/lib/a.css")?.headers["Content-Type"] == "text/css; charset=utf-8")
        #expect(get("/lib/a.svg")?.headers["Content-Type"]?.hasPrefix("image/svg+xml") == true)
        #expect(get("/lib/a.webmanifest")?.headers["Content-Type"]?.hasPrefix("application/manifest+json") == true)
    }

    @Test(arguments: [
        "/../etc/passwd", "/%2e%2e/etc/passwd", "/lib/../.hidden", "/.hidden", "/link", "/linked/a.css", "/lib",
        "/lib/", "/lib//a.css", "/nothing", "/%00", "/%ff", "/index.html/", "//index.html", "*", "/lib%2Fa.css%00",
    ])
    func isNil_outsideTheDirectory_orWithoutAFile(path: String) { #expect(get(path) == nil) }

    @Test func answers304_whenUnchanged() throws {
        let first = try #require(get("/app.js"))
        let tag = try #require(first.headers["ETag"])
        #expect(get("/app.js", [("If-None-Match", "\"x\", W/\(tag)")])?.status == 304)
        #expect(get("/app.js", [("If-None-Match", "\"x\"")])?.status == 200)
        let modified = try #require(first.headers["Last-Modified"])
        #expect(get("/app.js", [("If-Modified-Since", modified)])?.status == 304)
        #expect(get("/app.js", [("If-Modified-Since", modified), ("If-None-Match", "\"x\"")])?.status == 200)
        try folder.file("app.js", "changed")
        let second = try #require(get("/app.js", [("If-None-Match", tag)]))
        #expect(second.status == 200 && bytes(second) == Array("changed".utf8))
    }

    @Test func compresses_whenAcceptedAndWorthwhile() throws {
        let plain = try #require(get("/app.js"))
        let small = try #require(get("/app.js", [("Accept-Encoding", "gzip, br")]))
        #expect(small.headers["Content-Encoding"] == "gzip" && small.headers["Vary"] == "Accept-Encoding")
        let fields = [("Accept-Encoding", "br"), ("Accept-Encoding", "gzip")]
        #expect(get("/app.js", fields)?.headers["Content-Encoding"] == "gzip")
        #expect(try #require(bytes(small)).count < 500 && bytes(small)?.prefix(2) == [0x1F, 0x8B])
        #expect(small.headers["ETag"] != plain.headers["ETag"])
        #expect(get("/index.html", [("Accept-Encoding", "gzip")])?.headers["Content-Encoding"] == nil)
        let again = try #require(get("/app.js", [("Accept-Encoding", "gzip")]))
        guard case .shared(let one) = small.body, case .shared(let two) = again.body else {
            return #expect(Bool(false), "not shared")
        }
        #expect(one === two)
    }

    @Test func sendsRanges_ofBigFiles() throws {
        func take(_ headers: [(String, String)]) throws -> (HTTPResponse, UInt64, UInt64) {
            let response = try #require(get("/big.png", headers))
            guard case .file(_, let offset, let length) = response.body else { return (response, 0, 0) }
            return (response, offset, length)
        }
        let (part, offset, length) = try take([("Range", "bytes=10-19")])
        #expect(part.status == 206 && offset == 10 && length == 10)
        #expect(part.headers["Content-Range"] == "bytes 10-19/2097152")
        let (whole, _, all) = try take([("Range", "bytes=10-19"), ("If-Range", "\"other\"")])
        #expect(whole.status == 200 && all == 2_097_152)
        #expect(try take([("Range", "bytes=9999999-")]).0.status == 416)
        #expect(get("/big.png", [("Range", "bytes=10-19")], method: .head)?.status == 200)
    }

    @Test func allowsOnlyGETAndHEAD() {
        let refusal = get("/", method: .post)
        #expect(refusal?.status == 405)
        #expect(refusal?.headers["Allow"] == "GET, HEAD")
        #expect(refusal?.headers["Content-Type"] == "application/problem+json")
        #expect(get("/", method: .head)?.status == 200)
    }
}
