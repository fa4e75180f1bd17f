// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc
internal import Kernel

/// The ready sockets of clients, by epoll, and a bell for any thread.
///
/// libwebsockets' own wait asks the kernel about every socket at every wake-up. With thousands of clients that costs
/// more than serving the one that is ready.
///
/// `@unchecked Sendable` because the descriptors never change; all but `ring` is for the WebSocket thread.
final class Readiness: @unchecked Sendable {
    private let set: Int32
    private let bell: WakeSignal
    private var events = [epoll_event](repeating: epoll_event(), count: 256)

    init() throws(WebsocketError) {
        set = epoll_create1(Int32(EPOLL_CLOEXEC))
        guard set >= 0 else { throw .notStarted }
        guard let bell = WakeSignal() else {
            close(set)
            throw .notStarted
        }
        self.bell = bell
        guard control(EPOLL_CTL_ADD, bell.descriptor, writing: false) else { throw .notStarted }
    }

    deinit { close(set) }

    /// From any thread; ends a `wait`.
    func ring() {
        bell.ring()
    }

    /// False if the kernel lacks a resource. A closed socket leaves by itself.
    func add(_ socket: Int32) -> Bool { control(EPOLL_CTL_ADD, socket, writing: false) }

    /// Whether to report when the socket is writable. Ignores a socket that was closed meanwhile.
    func watch(_ socket: Int32, writing: Bool) {
        _ = control(EPOLL_CTL_MOD, socket, writing: writing)
    }

    /// Waits for the bell, a socket or the deadline; then calls `serve` for each ready socket, with the events of
    /// poll(2).
    func wait(until deadline: MonotonicTime?, serve: (Int32, Int16) -> Void) {
        let milliseconds =
            deadline.map { Int32(clamping: max(0, min(60_000, $0.seconds(since: .now) * 1000 + 1))) } ?? -1
        let count = epoll_wait(set, &events, Int32(events.count), milliseconds)
        for index in 0..<max(0, Int(count)) {
            let (socket, ready) = (events[index].data.fd, events[index].events)
            if socket == bell.descriptor {
                bell.reset()
            } else {
                // The bits are those of poll(2).
                serve(socket, Int16(truncatingIfNeeded: ready))
            }
        }
    }

    private func control(_ operation: Int32, _ socket: Int32, writing: Bool) -> Bool {
        var event = epoll_event()
        event.events = EPOLLIN.rawValue | (writing ? EPOLLOUT.rawValue : 0)
        event.data.fd = socket
        return epoll_ctl(set, operation, socket, &event) == 0
    }
}
