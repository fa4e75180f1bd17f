// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// How much a sound matters when there are too many; effects matter least.
enum SoundImportance: Comparable, Sendable {
    case effect
    case announcement(AnnouncementPriority)

    var kind: VoiceKind {
        switch self {
        case .effect: .effect
        case .announcement: .announcement
        }
    }
}

/// How many voices the announcers of a server have together: each is a player with threads and a connection of its own, and a
/// house full of zones must not multiply them. Any thread.
public final class VoiceBudget: Sendable {
    /// Voices that play, or are to go on.
    public static let playing = 24
    /// Voices that have played and are kept for the next sound.
    public static let warm = 8
    /// What does not wait for others to end: an alarm.
    private static let urgent = SoundImportance.announcement(.high)

    /// One voice's share, until it is given back.
    struct Share: Hashable, Sendable { fileprivate let number: UInt64 }

    private struct Holder {
        let share: Share
        let importance: SoundImportance
        let displace: @Sendable () -> Void
    }

    private struct State {
        /// In the order in which they began.
        var holders: [Holder] = []
        var warm = 0
        var lastNumber: UInt64 = 0

        var isSpent: Bool { holders.count >= VoiceBudget.playing }

        /// Whose place an urgent one takes: the oldest of the least important.
        func leastImportant(below importance: SoundImportance) -> Int? {
            guard importance >= VoiceBudget.urgent,
                let least = holders.indices.min(by: { holders[$0].importance < holders[$1].importance }),
                holders[least].importance < importance
            else { return nil }
            return least
        }
    }

    private let state = Mutex(State())

    public init() {}

    var isUnused: Bool { state.withLock { $0.holders.isEmpty && $0.warm == 0 } }

    /// Whether one more would get a voice now.
    func admits(_ importance: SoundImportance) -> Bool {
        state.withLock { !$0.isSpent || $0.leastImportant(below: importance) != nil }
    }

    /// One more plays; `isWarm`: its voice was kept. nil: there are too many, and nothing has changed. `displace` is called, once
    /// at most and from any thread, when a more important one has taken the share: the sound has to end.
    func begin(
        _ importance: SoundImportance, isWarm: Bool, displace: @escaping @Sendable () -> Void
    ) -> Share? {
        let (share, displaced): (Share?, Holder?) = state.withLock { state in
            var displaced: Holder?
            if state.isSpent {
                guard let least = state.leastImportant(below: importance) else { return (nil, nil) }
                displaced = state.holders.remove(at: least)
            }
            state.lastNumber += 1
            let share = Share(number: state.lastNumber)
            state.holders.append(Holder(share: share, importance: importance, displace: displace))
            if isWarm { state.warm -= 1 }
            return (share, displaced)
        }
        displaced?.displace()
        return share
    }

    /// One has ended, displaced or not. Whether its voice may be kept.
    func rest(_ share: Share) -> Bool {
        state.withLock { state in
            state.holders.removeAll { $0.share == share }
            guard state.warm < Self.warm else { return false }
            state.warm += 1
            return true
        }
    }

    /// One that could not be made, or ended with its announcer.
    func giveBack(_ share: Share) { state.withLock { $0.holders.removeAll { $0.share == share } } }

    /// One that was kept has ended.
    func giveBackWarm() { state.withLock { $0.warm -= 1 } }
}
