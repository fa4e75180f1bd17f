// SPDX-License-Identifier: Apache-2.0

internal import CMicrohttpd
internal import Glibc
internal import HTTP
internal import Kernel
internal import Synchronization

/// libmicrohttpd's responses for shared bodies, so that the player's state is copied once per change, not once per request.
/// libmicrohttpd counts references, so a response that leaves the cache lives until it is sent.
final class ResponseCache: Sendable {
    /// `@unchecked Sendable` because libmicrohttpd counts the references to a response under its own lock.
    private struct Entry: @unchecked Sendable {
        var handle: OpaquePointer
        /// Keeps the object alive, as its identity is compared.
        var body: SharedBytes
        var headers: HTTPHeaders
    }

    private static let capacity = 8
    private let entries = Mutex<[Entry]>([])

    /// Calls `send` with a response that is valid during the call.
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

/// Converts a response to libmicrohttpd's.
enum MicrohttpdResponse {
    static func make(_ response: HTTPResponse, for connection: OpaquePointer, core: ServerCore) -> OpaquePointer? {
        guard let handle = body(response.body, for: connection, core: core) else {
            response.body.end()
            return nil
        }
        // libmicrohttpd writes Content-Length and Transfer-Encoding itself, and rejects those fields here.
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
        guard let own = Descriptor.duplicate(file.descriptor) else { return nil }
        if let response = MHD_create_response_from_fd_at_offset64(length, own, offset) { return response }
        close(own)
        return nil
    }
}
