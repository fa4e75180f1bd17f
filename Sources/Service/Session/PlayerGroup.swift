// SPDX-License-Identifier: Apache-2.0

public import Playback
internal import Synchronization

/// All players of a server, as the session speaks to them: what holds for all holds for one that is made later, too.
/// Usable from any thread.
public final class PlayerGroup: Sendable {
    /// Calls back exactly once, as `Player.perform` does; must not block.
    public typealias Perform = @Sendable (PlayerCommand, _ done: @escaping @Sendable () -> Void) -> Void

    private struct State {
        var members: [String: Perform] = [:]
        var rules: SessionRules?
        var interruptions = OpenInterruptions()
    }

    private let state = Mutex(State())

    public init() {}

    /// The player gets the rules of the others before anyone else can command it.
    public func join(_ id: String, _ perform: @escaping Perform) {
        // Handed over within the lock, so that nothing newer can come before it. Mailboxes take it without blocking.
        state.withLock { state in
            if let rules = state.rules { perform(.applyRules(rules)) {} }
            for notice in state.interruptions.notices { perform(.interruption(notice)) {} }
            state.members[id] = perform
        }
    }

    /// Clients that interrupted have not come back in time: who comes later is not interrupted by them.
    public func forgetClients() { state.withLock { $0.interruptions.endAll(.client) } }

    public func leave(_ id: String) { state.withLock { _ = $0.members.removeValue(forKey: id) } }

    /// `only`: the players with these ids, nil all. `done` comes once, when all of them have done it.
    public func command(_ command: PlayerCommand, only: Set<String>? = nil, done: @escaping @Sendable () -> Void) {
        let open = Round(done)
        state.withLock { state in
            switch command {
            case .applyRules(let rules): state.rules = rules
            case .interruption(let notice): state.interruptions.note(notice)
            default: break
            }
            for (id, perform) in state.members where only?.contains(id) ?? true {
                open.begin()
                perform(command) { open.end() }
            }
        }
        open.end()
    }
}

/// Calls when all that began has ended, itself included.
final class Round: Sendable {
    private let open = Atomic(1)
    private let done: @Sendable () -> Void

    init(_ done: @escaping @Sendable () -> Void) { self.done = done }

    func begin() { open.add(1, ordering: .relaxed) }

    func end() {
        if open.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { done() }
    }
}

/// What has begun and not ended: clients count each, all others have one (as a player keeps them).
struct OpenInterruptions: Hashable {
    /// A client that begins more has lost count itself.
    static let maximum = 1000

    private var counts: [InterruptionSource: Int] = [:]

    mutating func note(_ notice: InterruptionNotice) {
        let count = counts[notice.source] ?? 0
        if notice.isBeginning {
            counts[notice.source] = notice.source == .client ? min(count + 1, Self.maximum) : 1
        } else {
            counts[notice.source] = count > 1 ? count - 1 : nil
        }
    }

    mutating func endAll(_ source: InterruptionSource) { counts[source] = nil }

    /// Their beginnings, to be reported once more.
    var notices: [InterruptionNotice] {
        counts.flatMap { source, count in
            Array(repeating: InterruptionNotice(isBeginning: true, source: source), count: count)
        }
    }
}
