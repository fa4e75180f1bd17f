// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Importance of a sound when there are too many; effects are the least important.
enum SoundImportance: Comparable, Sendable {
    case effect
    case announcement(AnnouncementPriority)

    var kind: VoiceKind { self == .effect ? .effect : .announcement }
}

/// Limits the voices of all announcers of a server: each voice is a player with its own threads and connection. Any
/// thread.
public final class VoiceBudget: Sendable {
    /// Voices that play or are suspended.
    public static let playing = 24
    /// Idle voices that are kept for the next sound.
    public static let warm = 8
    /// Does not wait for other sounds to end, for example an alarm.
    private static let urgent = SoundImportance.announcement(.high)

    /// One voice's share, until it is returned.
    struct Share: Hashable, Sendable { fileprivate let number: UInt64 }

    private struct Holder {
        let share: Share
        let importance: SoundImportance
        let displace: @Sendable () -> Void
    }

    private struct State {
        /// In the order of their start.
        var holders: [Holder] = []
        var warm = 0
        var lastNumber: UInt64 = 0

        var isSpent: Bool { holders.count >= VoiceBudget.playing }

        /// The holder that an urgent sound displaces: the oldest of the least important.
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

    /// Whether another sound would get a voice now.
    func admits(_ importance: SoundImportance) -> Bool {
        state.withLock { !$0.isSpent || $0.leastImportant(below: importance) != nil }
    }

    /// Takes a share for another sound; `isWarm`: its voice was kept. nil: there are too many, and nothing has changed.
    /// `displace` is called at most once, from any thread, when a more important sound takes the share: this sound must
    /// end.
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

    /// A sound has ended, displaced or not. Returns whether its voice may be kept.
    func rest(_ share: Share) -> Bool {
        state.withLock { state in
            state.holders.removeAll { $0.share == share }
            guard state.warm < Self.warm else { return false }
            state.warm += 1
            return true
        }
    }

    /// Returns the share of a voice that was not made, or ended with its announcer.
    func giveBack(_ share: Share) { state.withLock { $0.holders.removeAll { $0.share == share } } }

    /// A kept voice has ended.
    func giveBackWarm() { state.withLock { $0.warm -= 1 } }
}
