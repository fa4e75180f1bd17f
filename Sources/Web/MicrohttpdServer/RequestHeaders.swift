// SPDX-License-Identifier: Apache-2.0

internal import CMicrohttpd
internal import Glibc
internal import HTTP

/// The header fields, copied from libmicrohttpd, whose strings live only as long as the request.
struct RequestHeaders {
    var headers = HTTPHeaders()
    /// A field is folded, its name contains white space, or libmicrohttpd ignores its length. A proxy may interpret the field
    /// differently, and take a part of the body for the next request (RFC 9112 sections 5.1 and 5.2).
    private var isAmbiguous = false

    var hasUpgrade: Bool { headers.hasToken("websocket", in: "Upgrade") }

    /// The response to an ambiguous or malformed head.
    var problem: HTTPResponse? {
        if isAmbiguous { return .malformed("A header field can be read in two ways.") }
        // A proxy may use the other one (RFC 9112 section 3.2, RFC 9110 section 8.3).
        for name in ["Host", "Content-Type"]
        where headers.fields.count(where: { $0.name.equalsIgnoringASCIICase(name) }) > 1 {
            return .malformed("There are several \(name) fields.")
        }
        // This cannot see NUL, at which libmicrohttpd cuts the field. The front door rejects it in the first head.
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
                    result.pointee.headers.add(String(cString: name), value.map { String(cString: $0) } ?? "")
                    if !isPlain(name, value) { result.pointee.isAmbiguous = true }
                    return cmicrohttpd_yes
                }, pointer)
        }
        return result
    }
}

/// Whether the name has no white space, the field is not folded, and libmicrohttpd understands its length.
private func isPlain(_ name: UnsafePointer<CChar>, _ value: UnsafePointer<CChar>?) -> Bool {
    guard strpbrk(name, " \t\r\n") == nil else { return false }
    // The value follows its name in memory, unless libmicrohttpd moved one of them to join a folded line.
    if let value {
        let behind = name + strlen(name) + 1
        guard value == behind + strspn(behind, " \t") else { return false }
    }
    if strcasecmp(name, "Content-Length") == 0 {
        guard let value, value[0] != 0 else { return false }
        let digits = strspn(value, "0123456789")
        return digits > 0 && strlen(value) == digits + strspn(value + digits, " \t")
    }
    guard strcasecmp(name, "Transfer-Encoding") == 0 else { return true }
    return value.map { strspn($0, " \t\r\n") == 0 && $0[0] != 0 } ?? false
}
