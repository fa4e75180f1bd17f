// SPDX-License-Identifier: Apache-2.0

import Catalogue
import Glibc
import HTTP

/// `/cache`: what is kept of media from the network.
struct CacheRoutes: Sendable {
    static let base = "/api/v1/cache"

    let services: Services

    var routes: [Route] {
        let single = Self.base + "/{key}"
        return [
            .get(Self.base) { _, reply throws(Problem) in
                guard let cache = services.cache else {
                    return reply(.json(JSONWriter.object { $0.membersOfNoCache() }))
                }
                try services.onLibrary(reply: reply) { () throws(Problem) in
                    let status = cache.status()
                    reply(
                        .json(
                            JSONWriter.object(capacity: 256 + 256 * status.entries.count) { $0.members(of: status) }))
                }
            },
            .delete(Self.base) { call, reply throws(Problem) in
                _ = try call.body(EmptyBody.self)
                let cache = try required()
                try services.onLibrary(reply: reply) { () throws(Problem) in
                    let (removed, kept) = cache.removeAll()
                    reply(
                        .json(
                            JSONWriter.object { writer in
                                writer.member("removed", removed)
                                writer.member("kept", kept)
                            }))
                }
            },
            .delete(single) { call, reply throws(Problem) in
                _ = try call.body(EmptyBody.self)
                let cache = try required()
                try services.onLibrary(reply: reply) { () throws(Problem) in
                    do throws(CacheError) {
                        try cache.remove(call.parameters[0])
                    } catch {
                        throw Self.problem(error, call.parameters[0])
                    }
                    reply(HTTPResponse(status: 204))
                }
            },
            .get(single + "/content") { call, reply throws(Problem) in
                let cache = try required()
                try answerContent(of: call.parameters[0], cache, call.request, mayWait: true, reply)
            },
        ]
    }

    private func required() throws(Problem) -> any CacheKeeper {
        guard let cache = services.cache else {
            throw .notFound("Nothing is kept: the server runs without --cache on.", code: "no-cache")
        }
        return cache
    }

    private static func problem(_ error: CacheError, _ key: String) -> Problem {
        switch error {
        case .unknown: .notFound("There is no \(key.prefix(40)) in the cache.", code: "unknown-entry")
        case .inUse:
            Problem(
                status: 409, code: "cache-entry-in-use", title: "Not possible in this state",
                detail: "It plays, or is loaded to be played.")
        case .unreadable(let reason):
            Problem(
                status: 503, code: "cache-unreadable", title: "Cache unreadable", detail: reason,
                headers: [("Retry-After", "2")])
        }
    }

    // MARK: Content

    /// A browser that plays what is still being loaded takes a failure for the end: it is kept waiting for so long.
    private static let patience = 15.0
    /// Fewer bytes than this are not worth an answer while more are coming.
    private static let worthwhile: Int64 = 128 << 10

    private func answerContent(
        of key: String, _ cache: any CacheKeeper, _ request: HTTPRequest, mayWait: Bool, _ reply: @escaping Reply
    ) throws(Problem) {
        try services.onLibrary(reply: reply) { () throws(Problem) in
            if mayWait, let offset = try missingByte(of: key, cache, request) {
                let isWaiting = cache.wait(
                    for: key, at: offset, count: Self.worthwhile, seconds: Self.patience
                ) {
                    do throws(Problem) {
                        try answerContent(of: key, cache, request, mayWait: false, reply)
                    } catch {
                        reply(error.response)
                    }
                }
                if isWaiting { return }
            }
            reply(try content(of: key, cache, request))
        }
    }

    /// The first byte of the range that is asked for, if it is not there yet but on its way.
    private func missingByte(
        of key: String, _ cache: any CacheKeeper, _ request: HTTPRequest
    ) throws(Problem) -> Int64? {
        guard let entry = cache.status().entries.first(where: { $0.key == key }), entry.isInUse, let size = entry.size,
            case .part(let asked) = ByteRange.resolve(request.headers["Range"], total: UInt64(size))
        else { return nil }
        return entry.ranges.contains { $0.contains(Int64(asked.offset)) } ? nil : Int64(asked.offset)
    }

    /// As much of what is asked for as is there: a part may be shorter than the range that it answers (RFC 9110, 14.2 lets a
    /// server choose), so that what is still being downloaded can be played from here.
    private func content(
        of key: String, _ cache: any CacheKeeper, _ request: HTTPRequest
    ) throws(Problem) -> HTTPResponse {
        let descriptor: Int32
        let entry: CachedEntry
        do throws(CacheError) {
            (descriptor, entry) = try cache.open(key)
        } catch {
            throw Self.problem(error, key)
        }
        do throws(Problem) {
            return try Self.answer(entry, descriptor, request)
        } catch {
            close(descriptor)
            throw error
        }
    }

    private static func answer(
        _ entry: CachedEntry, _ descriptor: Int32, _ request: HTTPRequest
    ) throws(Problem) -> HTTPResponse {
        guard let size = entry.size, size > 0 else { throw notYet("Its length is not known yet.") }
        let headers = [
            ("Content-Type", type(entry.contentType)), ("Accept-Ranges", "bytes"), ("Cache-Control", "no-store"),
            ("X-Content-Type-Options", "nosniff"), ("Content-Security-Policy", "sandbox; default-src 'none'"),
        ]
        let range: ByteRange
        switch ByteRange.resolve(request.headers["Range"], total: UInt64(size)) {
        case .unsatisfiable:
            throw .rangeNotSatisfiable(size: UInt64(size))
        case .whole:
            guard entry.isComplete else { throw notYet("Not all of it is there yet; ask for a range.") }
            return HTTPResponse(
                status: 200, headers: HTTPHeaders(headers),
                body: .file(descriptor: descriptor, offset: 0, length: UInt64(size)))
        case .part(let asked):
            guard let there = entry.ranges.first(where: { $0.contains(Int64(asked.offset)) }) else {
                throw notYet("This part of it is not there yet.")
            }
            let end = min(asked.offset + asked.length, UInt64(there.upperBound))
            range = ByteRange(offset: asked.offset, length: end - asked.offset)
        }
        return HTTPResponse(
            status: 206,
            headers: HTTPHeaders(headers + [("Content-Range", range.contentRange(total: UInt64(size)))]),
            body: .file(descriptor: descriptor, offset: range.offset, length: range.length))
    }

    private static func notYet(_ detail: String) -> Problem {
        Problem(
            status: 503, code: "not-yet-loaded", title: "Not loaded yet", detail: detail,
            headers: [("Retry-After", "1")])
    }

    /// A stranger's word for its kind could make a page of it.
    private static func type(_ given: String?) -> String {
        let type = given?.prefix { $0 != ";" }.lowercased() ?? ""
        let isPlain = type.utf8.allSatisfy { HTTPToken.contains($0) || $0 == UInt8(ascii: "/") }
        return isPlain && (type.hasPrefix("audio/") || type.hasPrefix("video/")) ? type : "application/octet-stream"
    }
}
