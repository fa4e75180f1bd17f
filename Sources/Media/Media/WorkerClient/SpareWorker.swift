// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc
internal import Synchronization
internal import Kernel

/// A worker that is started before it is needed, because on a busy machine loading FFmpeg's libraries takes longer than a doorbell
/// sound may. There is one at most. The first item that a worker decodes causes its start, and it ends when unused for a while. It has not
/// seen any file, serves one item like any other worker, and is then replaced.
final class SpareWorker: Sendable {
    private enum State {
        case none
        case due(MonotonicTime)
        case waiting(WorkerProcess, since: MonotonicTime)
    }

    /// Seconds between an item's start and that of the next spare worker, so that the item has the CPU until it plays.
    static let pause = 1.0

    /// Seconds for which the spare worker waits for an item; nil: no spare worker.
    private let patience: Double?
    private let state = Mutex(State.none)

    init(patience: Double?) { self.patience = patience }

    /// The spare worker, which may still be starting; nil without one.
    func take() -> WorkerProcess? {
        let taken: WorkerProcess? = state.withLock { state in
            guard case .waiting(let process, _) = state else { return nil }
            state = .none
            return process
        }
        // It may have died, for example for lack of memory.
        return taken?.isConnected == true ? taken : nil
    }

    /// Call after an item has got a worker: schedules the next spare worker. Call `sweep` afterwards.
    func replace() {
        guard patience != nil else { return }
        state.withLock { state in
            switch state {
            case .none: state = .due(.now.advanced(bySeconds: Self.pause))
            case .due: break
            case .waiting(let process, _): state = .waiting(process, since: .now)
            }
        }
    }

    /// Starts a spare worker when due, or ends an unused one. Called on the launcher's thread.
    /// - Returns: when to call this again; nil: not before `replace`.
    func sweep(start: () -> WorkerProcess?) -> MonotonicTime? {
        guard let patience else { return nil }
        let now = MonotonicTime.now
        // The state that is over, or else the time when it will be.
        let (over, next) = state.withLock { state -> (State, MonotonicTime?) in
            let end: MonotonicTime
            switch state {
            case .none: return (.none, nil)
            case .due(let time): end = time
            case .waiting(_, let since): end = since.advanced(bySeconds: patience)
            }
            guard end <= now else { return (.none, end) }
            defer { state = .none }
            return (state, nil)
        }
        // Releasing the last reference to an unused worker, outside the lock, ends it.
        guard case .due = over else { return next }
        guard let process = start() else { return nil }
        // Only this thread starts spare workers, so there is still none.
        state.withLock { $0 = .waiting(process, since: .now) }
        return .now.advanced(bySeconds: patience)
    }
}

extension WorkerProcess {
    /// Whether the other end of the socket is open. Unread data does not matter.
    fileprivate var isConnected: Bool {
        var entry = pollfd(fd: socket, events: 0, revents: 0)
        while poll(&entry, 1, 0) < 0 { guard errno == EINTR else { return false } }
        return entry.revents & Int16(POLLHUP | POLLERR | POLLNVAL) == 0
    }
}
