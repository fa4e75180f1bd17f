// SPDX-License-Identifier: Apache-2.0

import Glibc
import HTTP
import Recording
import Synchronization

/// A finished recording on its way out: whole, or the range that was asked for.
final class RecordingDownload: Sendable {
    private let entry: RecordingEntry
    private let descriptor: Int32
    private let size: UInt64
    private let isHandedOver = Atomic(false)

    /// Takes the descriptor over; `response`, which is called once, hands it to the server.
    init(_ entry: RecordingEntry, _ file: (descriptor: Int32, size: UInt64)) {
        self.entry = entry
        descriptor = file.descriptor
        size = file.size
    }

    /// It came too late for an answer.
    deinit {
        if !isHandedOver.load(ordering: .relaxed) { close(descriptor) }
    }

    func response(to request: HTTPRequest) -> HTTPResponse {
        isHandedOver.store(true, ordering: .relaxed)
        // A finished recording is never changed: size and time are its version.
        let tag = EntityTag(String(size, radix: 36) + "-" + String(entry.modified, radix: 36))
        var headers = HTTPHeaders([
            ("ETag", tag.description), ("Cache-Control", "private, no-cache"), ("Accept-Ranges", "bytes"),
            ("Content-Type", Self.type(entry.id)), ("X-Content-Type-Options", "nosniff"),
            ("Content-Disposition", "attachment; filename=\"\(entry.id)\""),
        ])
        let isFresh = request.headers["If-Range"].map { EntityTag(parsing: $0)?.matchesStrongly(tag) == true } ?? true
        switch ByteRange.resolve(isFresh ? request.headers["Range"] : nil, total: size) {
        case .whole:
            return HTTPResponse(
                status: 200, headers: headers, body: .file(descriptor: descriptor, offset: 0, length: size))
        case .part(let range):
            headers.add("Content-Range", range.contentRange(total: size))
            return HTTPResponse(
                status: 206, headers: headers,
                body: .file(descriptor: descriptor, offset: range.offset, length: range.length))
        case .unsatisfiable:
            headers.add("Content-Range", "bytes */\(size)")
            // The server closes the file, also when nothing of it is sent.
            return HTTPResponse(
                status: 416, headers: headers, body: .file(descriptor: descriptor, offset: 0, length: 0))
        }
    }

    private static func type(_ id: String) -> String {
        switch id.split(separator: ".").last {
        case "wav": "audio/wav"
        case "flac": "audio/flac"
        case "opus": "audio/ogg"
        case "mp3": "audio/mpeg"
        default: "application/octet-stream"
        }
    }
}
