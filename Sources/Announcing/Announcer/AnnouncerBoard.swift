// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// The announcer's state as others read it, and who hears of it.
final class AnnouncerBoard: Sendable {
    private struct State {
        var status = AnnouncerStatus()
        var observer: @Sendable (AnnouncementChange) -> Void = { _ in }
    }

    private let state = Mutex(State())

    var status: AnnouncerStatus { state.withLock { $0.status } }

    func observe(_ observer: @escaping @Sendable (AnnouncementChange) -> Void) {
        state.withLock { $0.observer = observer }
    }

    func publish(_ change: (inout AnnouncerStatus) -> Void) { state.withLock { change(&$0.status) } }

    func tell(_ change: AnnouncementChange) {
        let observer = state.withLock { $0.observer }
        observer(change)
    }
}
