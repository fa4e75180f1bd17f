// SPDX-License-Identifier: Apache-2.0

import HTTP
import Kernel
import Service

/// `/cache`: cached network media.
extension PlayerContext {
    private static let base = "/api/v1/cache"

    var cacheRoutes: [Route] {
        let single = Self.base + "/{key}"
        return [
            .get(Self.base) { _, reply in
                server.cacheStatus(
                    reply: object(reply, capacity: 4_096) { writer, status in
                        writer.members(of: status ?? CacheStatus(limit: 0), isEnabled: status != nil)
                    })
            },
            .delete(Self.base) { _, reply in
                server.clearCache(
                    reply: object(reply) { writer, counts in
                        writer.member("removed", counts.removed)
                        writer.member("kept", counts.kept)
                    })
            },
            .get(single) { call, reply in
                let key = call.parameters[0]
                server.onCache(object(reply) { $0.members(of: $1) }) { cache throws(Problem) -> CachedEntry in
                    if let entry = cache.status().entries.first(where: { $0.key == key }) { return entry }
                    throw Problem(CacheError.unknown, key)
                }
            },
            .delete(single) { call, reply in
                server.removeFromCache(call.parameters[0], reply: done(reply))
            },
            .get(single + "/content") { call, reply in
                answerContent(of: call.parameters[0], call.request, mayWait: true, reply)
            },
        ]
    }

    // MARK: Content

    /// Seconds to wait for bytes, as a browser that plays a download treats an error as its end.
    private static let patience = 15.0
    /// The least bytes of a response during a download.
    private static let worthwhile: Int64 = 128 << 10

    private func answerContent(
        of key: String, _ request: HTTPRequest, mayWait: Bool, _ reply: @escaping Reply
    ) {
        let sent: ServiceReply<HTTPResponse?> = { result in
            switch result {
            case .success(let response): if let response { reply(response) }
            case .failure(let problem): reply(problem.response)
            }
        }
        server.onCache(sent) { cache throws(Problem) in
            if mayWait, let offset = missingByte(of: key, cache, request) {
                let isWaiting = cache.wait(
                    for: key, at: offset, count: Self.worthwhile, seconds: Self.patience
                ) {
                    answerContent(of: key, request, mayWait: false, reply)
                }
                if isWaiting { return nil }
            }
            return try content(of: key, cache, request)
        }
    }

    /// The first byte of the requested range, if it is not loaded yet but being downloaded.
    private func missingByte(of key: String, _ cache: any CacheKeeper, _ request: HTTPRequest) -> Int64? {
        guard let entry = cache.status().entries.first(where: { $0.key == key }), entry.isInUse, let size = entry.size,
            case .part(let asked) = request.range(total: UInt64(size), tag: nil)
        else { return nil }
        return entry.ranges.contains { $0.contains(Int64(asked.offset)) } ? nil : Int64(asked.offset)
    }

    /// The loaded part of the requested range, so that an unfinished download can be played. A response may be shorter than
    /// the requested range (RFC 9110 section 14.2).
    private func content(
        of key: String, _ cache: any CacheKeeper, _ request: HTTPRequest
    ) throws(Problem) -> HTTPResponse {
        let file: OpenFile
        let entry: CachedEntry
        do throws(CacheError) {
            let opened = try cache.open(key)
            (file, entry) = (OpenFile(opened.descriptor), opened.entry)
        } catch {
            throw Problem(error, key)
        }
        guard let size = entry.size, size > 0 else { throw Self.notYet("Its length is not known yet.") }
        let headers = [
            ("Content-Type", Self.type(entry.contentType)), ("Accept-Ranges", "bytes"), ("Cache-Control", "no-store"),
            ("X-Content-Type-Options", "nosniff"), ("Content-Security-Policy", "sandbox; default-src 'none'"),
        ]
        let range: ByteRange
        switch request.range(total: UInt64(size), tag: nil) {
        case .unsatisfiable:
            throw .rangeNotSatisfiable(size: UInt64(size))
        case .whole:
            guard entry.isComplete else { throw Self.notYet("The entry is incomplete; request a range.") }
            return HTTPResponse(
                status: 200, headers: HTTPHeaders(headers),
                body: .file(file, offset: 0, length: UInt64(size)))
        case .part(let asked):
            guard let there = entry.ranges.first(where: { $0.contains(Int64(asked.offset)) }) else {
                throw Self.notYet("This range is not loaded yet.")
            }
            let end = min(asked.offset + asked.length, UInt64(there.upperBound))
            range = ByteRange(offset: asked.offset, length: end - asked.offset)
        }
        return HTTPResponse(
            status: 206,
            headers: HTTPHeaders(headers + [("Content-Range", range.contentRange(total: UInt64(size)))]),
            body: .file(file, offset: range.offset, length: range.length))
    }

    private static func notYet(_ detail: String) -> Problem {
        Problem(.unavailable, "not-yet-loaded", detail, retryAfter: 1)
    }

    /// Audio and video types only: another server's type could turn the bytes into a web page.
    private static func type(_ given: String?) -> String {
        let type = given?.prefix { $0 != ";" }.lowercased() ?? ""
        let isPlain = type.utf8.allSatisfy { HTTPToken.contains($0) || $0 == UInt8(ascii: "/") }
        return isPlain && (type.hasPrefix("audio/") || type.hasPrefix("video/")) ? type : "application/octet-stream"
    }
}

extension JSONWriter {
    /// `GET /cache`, and `cache` events.
    mutating func members(of status: CacheStatus, isEnabled: Bool = true) {
        member("enabled", isEnabled)
        member("limit", status.limit)
        member("bytes", status.bytes)
        member("count", status.count)
        member("problem", status.problem)
        member("entries", objects: status.entries) { $0.members(of: $1) }
    }

    mutating func members(of entry: CachedEntry) {
        member("key", entry.key)
        member("uri", PublicURI.text(entry.uri))
        member("size", entry.size)
        member("bytes", entry.bytes)
        member("progress", entry.size.map { $0 > 0 ? min(1, Double(entry.bytes) / Double($0)) : 0 })
        member("complete", entry.isComplete)
        member("inUse", entry.isInUse)
        member("bytesPerSecond", entry.bytesPerSecond)
        member("used", Int64(clamping: entry.used * 1_000))
        member("ranges", objects: entry.ranges.prefix(100)) { writer, range in
            writer.member("start", range.lowerBound)
            writer.member("length", range.upperBound - range.lowerBound)
        }
    }
}
