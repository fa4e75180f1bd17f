// SPDX-License-Identifier: Apache-2.0

import Service
import Synchronization
import Kernel

/// Where the scanner shows what it does, for readers on any thread; notifies an observer at most four times a second, and
/// always in the end.
final class LibraryBoard: Sendable {
    typealias Observer = @Sendable (LibraryStatus) -> Void

    private static let interval = 0.25

    private struct State {
        var status = LibraryStatus()
        var observer: Observer?
        var toldAt: MonotonicTime?
    }

    private let state = Mutex(State())

    var status: LibraryStatus { state.withLock { $0.status } }

    func observe(_ observer: @escaping Observer) {
        state.withLock { $0.observer = observer }
    }

    /// `tellsAlways`: a change that nobody may miss.
    func change(tellsAlways: Bool = false, _ body: (inout LibraryStatus) -> Void) {
        let now = MonotonicTime.now
        let (observer, status): (Observer?, LibraryStatus) = state.withLock { state in
            body(&state.status)
            if !tellsAlways, let toldAt = state.toldAt, now.seconds(since: toldAt) < Self.interval {
                return (nil, state.status)
            }
            state.toldAt = now
            return (state.observer, state.status)
        }
        observer?(status)
    }
}
