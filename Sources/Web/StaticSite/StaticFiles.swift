// SPDX-License-Identifier: Apache-2.0

internal import Kernel
internal import Glibc
public import HTTP

/// Serves the files of one directory: the page.
///
/// Every file is opened below the directory, component by component; no component may be hidden, `..` or a symbolic
/// link, so that no path leads outside. Files up to a megabyte are cached in memory, compressed where useful; larger
/// ones are sent from the file, also in ranges.
public final class StaticFiles: HTTPResponder {
    private let directory: OpenFile
    private let cache = StaticFileCache()
    private static let cachedLength = 1 << 20

    /// nil if the directory cannot be opened.
    public init?(directory path: String) {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        directory = OpenFile(descriptor)
    }

    public func respond(to request: HTTPRequest, reply: @escaping @Sendable (HTTPResponse) -> Void) {
        let missing = ProblemDetails(
            status: 404, code: "not-found", title: "Not found", detail: "The page has no such file.")
        reply(response(to: request) ?? missing.response())
    }

    /// nil if there is no file at this path. Reads small files from the disk.
    public func response(to request: HTTPRequest) -> HTTPResponse? {
        guard let path = PercentEncoding.decode(request.path), path.hasPrefix("/") else { return nil }
        guard request.method == .get || request.method == .head else {
            return ProblemDetails(
                status: 405, code: "method-not-allowed", title: "Method not allowed",
                detail: "The page's files are only read: use GET or HEAD."
            ).response([("Allow", "GET, HEAD")])
        }
        guard let (file, status) = openFile(path) else { return nil }
        let name = path.hasSuffix("/") ? "index.html" : path
        let kind = StaticFileKind(name: name)
        let isCached = status.st_size <= Self.cachedLength
        let encoding = isCached && kind.isCompressible ? request.headers.combined("Accept-Encoding") : nil
        let wantsGzip = Negotiation.accepts(coding: "gzip", acceptEncoding: encoding)
        let version = EntityTag(status)
        let content =
            isCached
            ? cache.content(path: path, version: version, gzip: wantsGzip) { readAll(file, Int(status.st_size)) }
            : nil
        if isCached, content == nil { return nil }

        // Strong tags must differ between codings (RFC 9110 section 8.8.3.3).
        let tag = content?.isGzip == true ? EntityTag(version.value + "-gzip") : version
        var headers = kind.headers(tag: tag, modified: Int64(status.st_mtim.tv_sec))
        if kind.isCompressible { headers.add("Vary", "Accept-Encoding") }
        if isUnchanged(request, tag: tag, modified: Int64(status.st_mtim.tv_sec)) {
            return HTTPResponse(status: 304, headers: headers)
        }
        headers.add("Content-Type", kind.contentType)
        if let content {
            if content.isGzip { headers.add("Content-Encoding", "gzip") }
            return HTTPResponse(status: 200, headers: headers, body: .shared(content.bytes))
        }
        return HTTPResponse(
            file: file, total: UInt64(status.st_size), tag: tag, headers: headers, answering: request)
    }

    /// If-None-Match takes precedence over If-Modified-Since (RFC 9110 section 13.2.2).
    private func isUnchanged(_ request: HTTPRequest, tag: EntityTag, modified: Int64) -> Bool {
        if let refuses = request.headers.ifNoneMatchRefuses(tag) { return refuses }
        guard let since = request.headers["If-Modified-Since"].flatMap(HTTPDate.parse) else { return false }
        return modified <= since
    }

    /// The regular file of a decoded path, with its status.
    private func openFile(_ path: String) -> (file: OpenFile, status: stat)? {
        var components = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        if components.last == "" { components[components.count - 1] = "index.html" }
        guard !components.isEmpty, components.allSatisfy({ !$0.isEmpty && !$0.hasPrefix(".") && $0.utf8.count < 256 })
        else { return nil }
        var current = directory
        for (index, component) in components.enumerated() {
            let isLast = index == components.count - 1
            let next = openat(
                current.descriptor, component,
                O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | (isLast ? 0 : O_DIRECTORY))
            guard next >= 0 else { return nil }
            current = OpenFile(next)
        }
        var status = stat()
        guard fstat(current.descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return (current, status)
    }

    private func readAll(_ file: OpenFile, _ length: Int) -> [UInt8]? {
        var isWhole = true
        let bytes = [UInt8](unsafeUninitializedCapacity: length) { buffer, count in
            while count < length {
                let got = pread(file.descriptor, buffer.baseAddress! + count, length - count, off_t(count))
                if got < 0, errno == EINTR { continue }
                guard got > 0 else {
                    isWhole = false
                    return
                }
                count += got
            }
        }
        return isWhole ? bytes : nil
    }
}
