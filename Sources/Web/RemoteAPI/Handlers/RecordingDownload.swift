// SPDX-License-Identifier: Apache-2.0

import Glibc
import HTTP
import Service
import Synchronization

/// A finished recording on its way out: whole, or the range that was asked for.
final class RecordingDownload: Sendable {
    private let entry: RecordingEntry
    private let descriptor: Int32
    private let size: UInt64
    private let isHandedOver = Atomic(false)

    /// Takes the descriptor over; `response`, which is called once, hands it to the server if it sends any of it.
    init(_ entry: RecordingEntry, _ file: (descriptor: Int32, size: UInt64)) {
        self.entry = entry
        descriptor = file.descriptor
        size = file.size
    }

    /// Nothing of it is sent.
    deinit {
        if !isHandedOver.load(ordering: .relaxed) { close(descriptor) }
    }

    func response(to request: HTTPRequest) throws(Problem) -> HTTPResponse {
        // A finished recording is never changed: size and time are its version.
        let tag = EntityTag(String(size, radix: 36) + "-" + String(entry.modified, radix: 36))
        let validation = [("ETag", tag.description), ("Cache-Control", "private, no-cache")]
        if let response = request.notModified(tag, validation) { return response }
        let type = RecordedFormat(id: entry.id)?.mediaType ?? "application/octet-stream"
        let headers = HTTPHeaders(
            validation + [
                ("Content-Type", type), ("X-Content-Type-Options", "nosniff"),
                ("Content-Disposition", "attachment; filename=\"\(entry.id)\""),
            ])
        let response = HTTPResponse(
            file: descriptor, total: size, tag: tag, headers: headers, answering: request)
        guard response.status != 416 else { throw .rangeNotSatisfiable(size: size) }
        isHandedOver.store(true, ordering: .relaxed)
        return response
    }
}
