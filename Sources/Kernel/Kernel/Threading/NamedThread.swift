// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc

/// A POSIX thread with a name that debuggers and `/proc` show, truncated to 15 bytes. For the engine loop, a decoder that may
/// block, a library's event loop.
public final class NamedThread: Sendable {
    private let handle: pthread_t

    /// Starts the thread at once. It blocks all signals except those of a crash, so that only the main thread handles them.
    ///
    /// If the machine allows no more threads, the process ends with a log line: for threads without which nothing works.
    public init(_ name: String, _ body: @escaping @Sendable () -> Void) {
        guard let handle = Self.start(name, body) else { Shortage.endProcess("threads", for: name) }
        self.handle = handle
    }

    /// Tests set it: `init(ifPossible:)` fails in this task or thread.
    @TaskLocal package static var isRefused = false

    /// As above, but nil if the machine allows no more threads: for threads that are started on demand.
    public init?(ifPossible name: String, _ body: @escaping @Sendable () -> Void) {
        guard !Self.isRefused, let handle = Self.start(name, body) else { return nil }
        self.handle = handle
    }

    private static func start(_ name: String, _ body: @escaping @Sendable () -> Void) -> pthread_t? {
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        pthread_attr_setstacksize(&attributes, 512 * 1_024)
        defer { pthread_attr_destroy(&attributes) }

        let start = Unmanaged.passRetained(ThreadStart(name: name, body: body))
        var all = sigset_t()
        var previous = sigset_t()
        sigfillset(&all)
        clinux_leave_crash_signals(&all)
        pthread_sigmask(SIG_SETMASK, &all, &previous)
        var handle = pthread_t()
        let code = pthread_create(
            &handle, &attributes,
            { argument in
                let start = Unmanaged<ThreadStart>.fromOpaque(argument!).takeRetainedValue()
                clinux_set_thread_name(start.name)
                start.body()
                return nil
            }, start.toOpaque())
        pthread_sigmask(SIG_SETMASK, &previous, nil)
        guard code == 0 else {
            start.release()
            return nil
        }
        return handle
    }

    /// Waits until the body returns. Call it once, from another thread.
    public func join() {
        let code = pthread_join(handle, nil)
        precondition(code == 0, "pthread_join failed with \(code)")
    }

    /// Waits at most `seconds` until the body returns; a body that hangs in a disk or a device is left to end with the process.
    /// Call it once, instead of `join`.
    ///
    /// - Returns: whether the body has returned.
    @discardableResult
    public func join(within seconds: Double) -> Bool {
        var time = MonotonicTime.now.advanced(bySeconds: seconds).timespec
        guard pthread_clockjoin_np(handle, nil, CLOCK_MONOTONIC, &time) != 0 else { return true }
        detach()
        return false
    }

    public func detach() { pthread_detach(handle) }

    /// Lowers the CPU and disk priority of the calling thread.
    public static func yieldToOthers() { clinux_yield_to_others() }
}

private final class ThreadStart: Sendable {
    let name: String
    let body: @Sendable () -> Void

    init(name: String, body: @escaping @Sendable () -> Void) {
        self.name = name
        self.body = body
    }
}
