// SPDX-License-Identifier: Apache-2.0

import Kernel
import Service
import Synchronization

/// The scanner's published status. Any thread may read it; an observer is notified at most four times a second, and of the last
/// change always.
final class LibraryBoard: Sendable {
    private static let interval = 0.25

    private struct State {
        var status = LibraryStatus()
        var reportedAt: MonotonicTime?
    }

    private let published = Published<State, LibraryStatus>(State())

    var status: LibraryStatus { published.value.status }

    func observe(_ observer: @escaping @Sendable (LibraryStatus) -> Void) { published.observe(observer) }

    /// `reportsAlways`: notifies the observer regardless of the interval.
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

/// Requests to the scanner from any thread, with a descriptor that wakes it.
final class ScannerSignals: Sendable {
    enum Request: Hashable {
        case scan(rereads: Bool)
        /// A read failed: check the database, and rebuild it if damaged.
        case check
        case end
    }

    private let requests = Mailbox<Request>(descriptorFor: "library-scan")
    private let isEnding = Atomic(false)

    /// For poll(2): readable while there are requests.
    var descriptor: Int32 { requests.descriptor }

    /// Also polled during a scan.
    var mustEnd: Bool { isEnding.load(ordering: .relaxed) }

    func post(_ request: Request) {
        if request == .end { isEnding.store(true, ordering: .relaxed) }
        requests.post(request, unless: { $0 == request })
    }

    func take() -> [Request] { requests.take() }
}
