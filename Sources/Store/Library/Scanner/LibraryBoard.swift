// SPDX-License-Identifier: Apache-2.0

import Service
import Kernel

/// Where the scanner shows what it does, for readers on any thread; notifies an observer at most four times a second, and
/// always in the end.
final class LibraryBoard: Sendable {
    private static let interval = 0.25

    private struct State {
        var status = LibraryStatus()
        var reportedAt: MonotonicTime?
    }

    private let published = Published<State, LibraryStatus>(State())

    var status: LibraryStatus { published.value.status }

    func observe(_ observer: @escaping @Sendable (LibraryStatus) -> Void) { published.observe(observer) }

    /// `reportsAlways`: a change that nobody may miss.
    func change(reportsAlways: Bool = false, _ body: (inout LibraryStatus) -> Void) {
        let now = MonotonicTime.now
        published.change { state in
            body(&state.status)
            if !reportsAlways, let reportedAt = state.reportedAt, now.seconds(since: reportedAt) < Self.interval {
                return nil
            }
            state.reportedAt = now
            return state.status
        }
    }
}
