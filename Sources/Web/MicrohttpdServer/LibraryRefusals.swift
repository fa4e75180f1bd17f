// SPDX-License-Identifier: Apache-2.0

internal import CMicrohttpd
internal import Glibc
internal import HTTP

/// libmicrohttpd rejects unreadable requests with a short HTML page, and has no option to change that. It queues the page
/// with its own public function, found through the symbol table. This definition replaces that function and responds with
/// problem details (decision 0037). The program's own responses go through `cmicrohttpd_queue`.
///
/// Public, as an optimized build would drop it as unused. Called on the connection's thread while nothing else is being sent.
@_cdecl("MHD_queue_response")
public func refuseUnreadableRequest(_ connection: OpaquePointer?, _ status: UInt32, _ page: OpaquePointer?) -> UInt32 {
    guard let connection else { return cmicrohttpd_no.rawValue }
    let descriptor = cmicrohttpd_descriptor(connection)
    var answer = ProblemDetails.unreadableRequest(status: Int(status)).lastMessage
    _ = answer.withUTF8 {
        send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
    }
    dropInput(of: descriptor)
    // This result closes the connection. A queued response would send its head twice in some states of libmicrohttpd 0.9.75.
    return cmicrohttpd_no.rawValue
}

/// Closing a connection with unread input resets it, which may destroy the response in transit.
private func dropInput(of descriptor: Int32) {
    withUnsafeTemporaryAllocation(byteCount: 16_384, alignment: 1) { buffer in
        for _ in 0..<16 where recv(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT)) <= 0 { return }
    }
}
