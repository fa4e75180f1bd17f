// SPDX-License-Identifier: Apache-2.0

internal import CMicrohttpd
internal import Glibc
internal import HTTP

/// libmicrohttpd refuses what it cannot read with a short page of HTML, and has no option to change that. It queues the page by
/// its own public function, through the symbol table: this definition comes before the library's, and answers with problem
/// details instead (decision 0037). This program's own answers go through `cmicrohttpd_queue`.
///
/// Public, or an optimized build drops it as unused. On the connection's thread, between two requests: nothing else is being sent.
@_cdecl("MHD_queue_response")
public func refuseUnreadableRequest(_ connection: OpaquePointer?, _ status: UInt32, _ page: OpaquePointer?) -> UInt32 {
    guard let connection else { return cmicrohttpd_no.rawValue }
    let descriptor = cmicrohttpd_descriptor(connection)
    var answer = ProblemDetails.unreadableRequest(status: Int(status)).lastMessage
    _ = answer.withUTF8 {
        send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
    }
    dropInput(of: descriptor)
    // The connection is closed for it. Queued, the head of the answer goes out twice in some states of libmicrohttpd 0.9.75.
    return cmicrohttpd_no.rawValue
}

/// A connection that is closed with unread input is reset, which may destroy the answer on its way.
private func dropInput(of descriptor: Int32) {
    withUnsafeTemporaryAllocation(byteCount: 16_384, alignment: 1) { buffer in
        for _ in 0..<16 where recv(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT)) <= 0 { return }
    }
}
