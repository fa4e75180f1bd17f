// SPDX-License-Identifier: Apache-2.0

internal import CMicrohttpd
internal import Glibc
internal import HTTP

/// Copies the header fields out of libmicrohttpd, whose strings live only as long as the request.
struct RequestHeaders {
    var headers = HTTPHeaders(reserving: 256)
    private var mayUpgrade = false
    private(set) var hostCount = 0

    /// An Upgrade field that names `websocket`.
    var hasUpgrade: Bool { mayUpgrade && headers.hasToken("websocket", in: "Upgrade") }

    /// Why it is not answered.
    var problem: HTTPResponse? {
        // RFC 9112 section 3.2.
        if hostCount > 1 { return .malformed("There are several Host fields.") }
        // NUL is not among them: libmicrohttpd takes it for the field's end. The front door refuses it in the first head.
        if headers.hasControlCharacter {
            return .malformed("A header field contains a control character.")
        }
        return nil
    }

    static func copy(from connection: OpaquePointer) -> RequestHeaders {
        var result = RequestHeaders()
        withUnsafeMutablePointer(to: &result) { pointer in
            _ = MHD_get_connection_values(
                connection, cmicrohttpd_headers,
                { context, _, name, value in
                    guard let context, let name else { return cmicrohttpd_yes }
                    let result = context.assumingMemoryBound(to: RequestHeaders.self)
                    let bytes = value.map { UnsafeRawBufferPointer(start: $0, count: strlen($0)) }
                    result.pointee.headers.add(
                        name: UnsafeRawBufferPointer(start: name, count: strlen(name)),
                        value: bytes ?? UnsafeRawBufferPointer(start: nil, count: 0))
                    if strcasecmp(name, "Upgrade") == 0 { result.pointee.mayUpgrade = true }
                    if strcasecmp(name, "Host") == 0 { result.pointee.hostCount += 1 }
                    return cmicrohttpd_yes
                }, pointer)
        }
        return result
    }
}

func closeDescriptor(_ descriptor: Int32) {
    Glibc.close(descriptor)
}
