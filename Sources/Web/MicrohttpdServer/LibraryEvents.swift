// SPDX-License-Identifier: Apache-2.0

public import CMicrohttpd

/// libmicrohttpd 0.9.75 takes at most 128 events of its connections at a time. After exactly 128 it waits for another one
/// before it handles them, for up to a minute. This definition replaces `epoll_wait` of the C library and never returns
/// that many (decision 0075). The events left out are returned by the next call.
///
/// Public, as an optimized build would drop it as unused. Any thread, also for other libraries.
@_cdecl("epoll_wait")
public func waitForFewerEvents(
    _ epoll: Int32, _ events: UnsafeMutablePointer<epoll_event>?, _ limit: Int32, _ milliseconds: Int32
) -> Int32 {
    epoll_pwait(epoll, events, limit == 128 ? 127 : limit, milliseconds, nil)
}
