// SPDX-License-Identifier: Apache-2.0

internal import CMicrohttpd
internal import Glibc
internal import HTTP
internal import Synchronization

/// Ready libmicrohttpd responses for the bodies that are answered again and again, so that the status of the player is
/// copied once per change and not once per request. They are counted by reference there, so one that is dropped here
/// lives on until it is sent.
final class ResponseCache: Sendable {
    /// `@unchecked Sendable` because libmicrohttpd counts the references to a response under its own lock.
    private struct Entry: @unchecked Sendable {
        var handle: OpaquePointer
        /// Kept, so that the identity cannot be another object's.
        var body: SharedBytes
        var headers: HTTPHeaders
    }

    private static let capacity = 8
    private let entries = Mutex<[Entry]>([])

    /// Calls `send` with a response that lives at least until it returns.
    func withResponse(
        for response: HTTPResponse, on connection: OpaquePointer, core: ServerCore,
        _ send: (OpaquePointer) -> MHD_Result
    ) -> MHD_Result {
        guard case .shared(let body) = response.body else {
            guard let handle = MicrohttpdResponse.make(response, for: connection, core: core) else {
                return cmicrohttpd_no
            }
            defer { MHD_destroy_response(handle) }
            return send(handle)
        }
        return entries.withLock { entries in
            if let entry = entries.first(where: { $0.body === body && $0.headers == response.headers }) {
                return send(entry.handle)
            }
            guard let handle = MicrohttpdResponse.make(response, for: connection, core: core) else {
                return cmicrohttpd_no
            }
            if entries.count == Self.capacity { MHD_destroy_response(entries.removeFirst().handle) }
            entries.append(Entry(handle: handle, body: body, headers: response.headers))
            return send(handle)
        }
    }

    func removeAll() {
        entries.withLock { entries in
            for entry in entries { MHD_destroy_response(entry.handle) }
            entries = []
        }
    }
}

/// Builds libmicrohttpd's response of ours.
enum MicrohttpdResponse {
    static func make(_ response: HTTPResponse, for connection: OpaquePointer, core: ServerCore) -> OpaquePointer? {
        guard let handle = body(response.body, for: connection, core: core) else {
            response.body.end()
            return nil
        }
        // Length and framing are libmicrohttpd's to write; it refuses the field by itself.
        for field in response.headers.fields { _ = MHD_add_response_header(handle, field.name, field.value) }
        return handle
    }

    private static func body(_ body: HTTPBody, for connection: OpaquePointer, core: ServerCore) -> OpaquePointer? {
        switch body {
        case .none: cmicrohttpd_copied_response(nil, 0)
        case .bytes(let bytes): bytes.withUnsafeBytes { cmicrohttpd_copied_response($0.baseAddress, $0.count) }
        case .shared(let shared): shared.bytes.withUnsafeBytes { cmicrohttpd_copied_response($0.baseAddress, $0.count) }
        case .file(let file, let offset, let length): fileResponse(file, offset, length)
        case .stream(let stream): StreamedBody.response(for: stream, connection: connection, core: core)
        case .upgrade: Exchange.upgradeResponse()
        }
    }

    /// libmicrohttpd closes its descriptor with the response, so it gets one of its own.
    private static func fileResponse(_ file: OpenFile, _ offset: UInt64, _ length: UInt64) -> OpaquePointer? {
        let own = fcntl(file.descriptor, F_DUPFD_CLOEXEC, 0)
        return own < 0 ? nil : MHD_create_response_from_fd_at_offset64(length, own, offset)
    }
}
