// SPDX-License-Identifier: Apache-2.0

internal import Kernel
internal import Playback

/// The meaning of a response head for a download.
enum ResponseVerdict: Hashable {
    /// The body starts at this byte of the file.
    case body(from: Int64, RemoteResource)
    case redirect(String)
    /// The file ends at the requested offset.
    case end(size: ByteCount)
    /// The file has changed since it was opened.
    case changed
    /// Retry later, after `seconds` if the server says so.
    case later(String, seconds: Double?)
    case fail(MediaError)

    /// `offset`: the first requested byte. `known`: facts from earlier responses. `isPiece`: see `NetworkPiece`.
    init(
        _ head: TransferHead, from address: WebAddress, offset: Int64, known: RemoteResource?, isPiece: Bool = false
    ) {
        let name = address.name
        func fail(_ code: MediaError.Code, _ text: String) -> ResponseVerdict {
            .fail(MediaError(code, "\(name): the server \(text)"))
        }
        switch head.status {
        case 200, 206: self = Self.success(head, address, offset: offset, known: known, isPiece: isPiece)
        case 301, 302, 303, 307, 308:
            self = head["Location"].map { .redirect($0) } ?? fail(.network, "redirects, but gives no address.")
        case 401, 407: self = fail(.forbidden, "requires a name and a password (status \(head.status)).")
        case 403: self = fail(.forbidden, "refuses it (status 403).")
        // A station whose source is gone may come back.
        case 404 where known?.isLive == true:
            self = .later("\(name): the server does not have it at present (status 404).", seconds: nil)
        case 404, 410: self = fail(.notFound, "does not have it (status \(head.status)).")
        case 416:
            let size = ContentRange(head["Content-Range"])?.total
            if isPiece, known == nil, let size, size.bytes < offset {
                self = fail(.notFound, "has only \(size.bytes) bytes; the requested range begins at byte \(offset).")
            } else {
                self = Self.unsatisfied(size, offset: offset, known: known) ?? fail(.network, "lacks this range.")
            }
        case 408, 425, 429, 500...599:
            let seconds = head["Retry-After"].flatMap { Double($0.trimmingSpaces) }
            self = .later(
                "\(name): the server cannot answer now (status \(head.status)).",
                seconds: seconds.flatMap { $0 >= 0 && $0.isFinite ? $0 : nil })
        default: self = fail(.network, "answers with status \(head.status).")
        }
    }

    private static func success(
        _ head: TransferHead, _ address: WebAddress, offset: Int64, known: RemoteResource?, isPiece: Bool
    ) -> ResponseVerdict {
        if let refusal = refusal(of: head, isPiece: isPiece) {
            return .fail(MediaError(.unsupported, "\(address.name) \(refusal)"))
        }
        let facts = CachedFacts(
            entityTag: head["ETag"], lastModified: head["Last-Modified"], contentType: head["Content-Type"],
            lifetime: Freshness.lifetime(head))
        var found = RemoteResource(address: address, facts: facts, hasRanges: false)
        found.isForbidden = Freshness.forbidsStorage(head)
        var start: Int64 = 0
        if head.status == 206 {
            guard let part = ContentRange(head["Content-Range"]), let first = part.first, first == offset else {
                return .fail(MediaError(.network, "\(address.name): the server sent another range than requested."))
            }
            start = first
            found.size = part.total
            found.hasRanges = true
        } else {
            found.size = head["Content-Length"].flatMap { ByteCount(digits: $0.trimmingSpaces) }
            // A server that answers a range request with the whole file does not support ranges, whatever its Accept-Ranges
            // says.
            found.hasRanges = offset == 0 && head["Accept-Ranges"]?.lowercased() == "bytes"
            found.isLive = isLive(head, size: found.size)
            if !found.isLive, isEndless(found) { (found.isLive, found.isPresumed) = (true, true) }
            if found.isLive { (found.size, found.hasRanges) = (nil, false) }
        }
        guard let known else { return .body(from: start, found) }
        if known.isLive {
            (found.size, found.hasRanges, found.isLive) = (nil, false, true)
            found.isPresumed = known.isPresumed
            return .body(from: 0, found)
        }
        if found.contradicts(known) { return .changed }
        found.size = found.size ?? known.size
        found.facts.entityTag = facts.entityTag ?? known.facts.entityTag
        found.facts.lastModified = facts.lastModified ?? known.facts.lastModified
        found.facts.contentType = facts.contentType ?? known.facts.contentType
        (found.isLive, found.isPresumed) = (known.isLive, known.isPresumed)
        return .body(from: start, found)
    }

    /// A station: `icy-` fields, and no length or a placeholder.
    private static func isLive(_ head: TransferHead, size: ByteCount?) -> Bool {
        guard size.map({ $0.bytes >= 1 << 31 - 1 }) ?? true else { return false }
        return head.headers.contains { $0.name.lowercased().hasPrefix("icy-") }
    }

    /// Audio without length, ranges or validators: a station behind a plain web server, or a file that is converted on the fly.
    /// Which one shows later.
    private static func isEndless(_ found: RemoteResource) -> Bool {
        let facts = found.facts
        guard found.size == nil, !found.hasRanges, facts.entityTag == nil, facts.lastModified == nil else {
            return false
        }
        let type = facts.contentType?.prefix { $0 != ";" }.lowercased().trimmingSpaces ?? ""
        let lists = ["mpegurl", "x-mpegurl", "scpls", "x-scpls", "x-ms-wax", "x-pn-realaudio"]
        return (type.hasPrefix("audio/") && !lists.contains { type.hasSuffix("/" + $0) }) || type == "application/ogg"
    }

    /// Content types that are certainly not audio. Others are sniffed: many servers mislabel MPEG audio.
    private static func refusal(of head: TransferHead, isPiece: Bool) -> String? {
        let type = head["Content-Type"]?.prefix { $0 != ";" }.lowercased().trimmingSpaces ?? ""
        if type == "text/html" || type == "application/xhtml+xml" { return "cannot be played: it is an HTML page." }
        if type == "application/json" || type.hasSuffix("+json") { return "cannot be played: it is a JSON document." }
        if !isPiece, type.hasPrefix("image/") { return "cannot be played: it is a picture." }
        if type == "multipart/byteranges" { return "cannot be played: it is a multipart answer." }
        let coding = head["Content-Encoding"]?.trimmingSpaces.lowercased() ?? ""
        // No coding was requested, and a small body could decompress to a huge one.
        if !coding.isEmpty, coding != "identity" {
            return "cannot be played: it is compressed (\(coding.prefix(20)))."
        }
        return nil
    }

    /// The server has no byte at `offset`. `size`: the file's by this response.
    private static func unsatisfied(_ size: ByteCount?, offset: Int64, known: RemoteResource?) -> ResponseVerdict? {
        if offset == 0 { return .end(size: 0) }
        guard let size else { return known?.size == nil ? ByteCount(offset).map { .end(size: $0) } : nil }
        return size.bytes == offset ? .end(size: size) : .changed
    }
}
