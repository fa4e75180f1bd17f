// SPDX-License-Identifier: Apache-2.0

internal import Playback
internal import Synchronization

/// What an announcer and its loop share: the state as others read it, who hears of it, and the session's rules.
final class AnnouncerBoard: Sendable {
    private struct State {
        var status = AnnouncerStatus()
        var rules = SessionRules()
        var observer: @Sendable (AnnouncementChange) -> Void = { _ in }
    }

    private let state = Mutex(State())

    var status: AnnouncerStatus { state.withLock { $0.status } }

    /// The newest ones; a loop that has begun is told of each change as well.
    var rules: SessionRules {
        get { state.withLock { $0.rules } }
        set { state.withLock { $0.rules = newValue } }
    }

    func observe(_ observer: @escaping @Sendable (AnnouncementChange) -> Void) {
        state.withLock { $0.observer = observer }
    }

    func publish(_ change: (inout AnnouncerStatus) -> Void) { state.withLock { change(&$0.status) } }

    func tell(_ change: AnnouncementChange) {
        let observer = state.withLock { $0.observer }
        observer(change)
    }
}
