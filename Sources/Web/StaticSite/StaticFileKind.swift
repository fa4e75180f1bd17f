// SPDX-License-Identifier: Apache-2.0

internal import HTTP

/// Media type and caching of a kind of files.
struct StaticFileKind {
    let contentType: String
    let isCompressible: Bool
    private let isDocument: Bool

    private static let policy =
        "default-src 'self'; img-src 'self' data: blob:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'; "
        + "require-trusted-types-for 'script'; trusted-types tonearm"

    init(name: String) {
        let suffix = name.split(separator: ".", omittingEmptySubsequences: false).last.map { $0.lowercased() } ?? ""
        (contentType, isCompressible) =
            switch suffix {
            case "html", "htm": ("text/html; charset=utf-8", true)
            case "js", "mjs": ("text/javascript; charset=utf-8", true)
            case "css": ("text/css; charset=utf-8", true)
            case "svg": ("image/svg+xml", true)
            case "json", "map": ("application/json", true)
            case "webmanifest": ("application/manifest+json", true)
            case "yaml", "yml": ("application/yaml", true)
            case "txt": ("text/plain; charset=utf-8", true)
            case "woff2": ("font/woff2", false)
            case "png": ("image/png", false)
            case "jpg", "jpeg": ("image/jpeg", false)
            case "webp": ("image/webp", false)
            case "mp3": ("audio/mpeg", false)
            case "ico": ("image/vnd.microsoft.icon", false)
            default: ("application/octet-stream", false)
            }
        isDocument = suffix == "html" || suffix == "htm"
    }

    /// File names contain no versions, as there is no build step, so browsers must revalidate every file at each use.
    func headers(tag: EntityTag, modified: Int64) -> HTTPHeaders {
        HTTPHeaders(
            [
                ("ETag", tag.description),
                ("Last-Modified", HTTPDate.format(modified)),
                ("Cache-Control", isDocument ? "no-cache" : "max-age=0, must-revalidate"),
                ("Content-Security-Policy", Self.policy),
                ("Referrer-Policy", "no-referrer"),
            ] + HTTPHeaders.isolation)
    }
}
