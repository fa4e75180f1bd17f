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
        var reportedAt: MonotonicTime?
    }

    private let state = Mutex(State())

    var status: LibraryStatus { state.withLock { $0.status } }

    func observe(_ observer: @escaping Observer) {
        state.withLock { $0.observer = observer }
    }

    /// `reportsAlways`: a change that nobody may miss.
    func change(reportsAlways: Bool = false, _ body: (inout LibraryStatus) -> Void) {
        let now = MonotonicTime.now
        let (observer, status): (Observer?, LibraryStatus) = state.withLock { state in
            body(&state.status)
            if !reportsAlways, let reportedAt = state.reportedAt, now.seconds(since: reportedAt) < Self.interval {
                return (nil, state.status)
            }
            state.reportedAt = now
            return (state.observer, state.status)
        }
        observer?(status)
    }
}
