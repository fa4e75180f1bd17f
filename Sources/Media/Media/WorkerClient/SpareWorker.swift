// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc
internal import Synchronization
internal import Kernel

/// A worker that was started before it is needed and has seen no byte yet: on a busy machine loading FFmpeg's libraries takes
/// longer than a doorbell may. One at most; none before the first item that a worker decodes, and none after a while without.
///
/// It goes to one item as any other does, and another one takes its place.
final class SpareWorker: Sendable {
    private enum State {
        case none
        case due(MonotonicTime)
        case waiting(WorkerProcess, since: MonotonicTime)
    }

    /// Seconds after an item got its worker: what it asked for sounds by then, and has the processor until then.
    static let pause = 1.0

    /// Seconds that one waits for an item; nil: there is none.
    private let patience: Double?
    private let state = Mutex(State.none)

    init(patience: Double?) { self.patience = patience }

    /// One that runs, ready or nearly so.
    func take() -> WorkerProcess? {
        let taken: WorkerProcess? = state.withLock { state in
            guard case .waiting(let process, _) = state else { return nil }
            state = .none
            return process
        }
        // The kernel may have ended it meanwhile, when memory was short.
        return taken?.isConnected == true ? taken : nil
    }

    /// An item has got a worker: the next one may come as suddenly. `sweep` is due.
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

    /// On the launcher's thread: starts one when that is due, lets go of one that nobody came for.
    /// - Returns: when to call it again.
    func sweep(start: () -> WorkerProcess?) -> MonotonicTime? {
        guard let patience else { return nil }
        switch step(patience) {
        case .wait(let until): return until
        case .end(let process):
            // By its last reference, outside the lock.
            withExtendedLifetime(process) {}
            return nil
        case .start:
            guard let process = start() else { return nil }
            // Only this thread starts one, so none has come in between.
            state.withLock { $0 = .waiting(process, since: .now) }
            return .now.advanced(bySeconds: patience)
        }
    }

    private enum Step {
        /// nil: until `replace`.
        case wait(until: MonotonicTime?)
        case start
        /// Nobody came for it.
        case end(WorkerProcess)
    }

    private func step(_ patience: Double) -> Step {
        let now = MonotonicTime.now
        return state.withLock { state in
            switch state {
            case .none: return .wait(until: nil)
            case .due(let time):
                guard time <= now else { return .wait(until: time) }
                state = .none
                return .start
            case .waiting(let process, let since):
                let end = since.advanced(bySeconds: patience)
                guard end <= now else { return .wait(until: end) }
                state = .none
                return .end(process)
            }
        }
    }
}

extension WorkerProcess {
    /// Whether the other end of its socket is open, whatever it has sent meanwhile.
    fileprivate var isConnected: Bool {
        var entry = pollfd(fd: socket, events: 0, revents: 0)
        while poll(&entry, 1, 0) < 0 { guard errno == EINTR else { return false } }
        return entry.revents & Int16(POLLHUP | POLLERR | POLLNVAL) == 0
    }
}
