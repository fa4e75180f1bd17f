// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// How many voices the announcers of a server have together: each is a player with threads and a connection of its own, and a
/// house full of zones must not multiply them. Any thread.
public final class VoiceBudget: Sendable {
    /// Voices that play, or are to go on.
    public static let playing = 24
    /// Voices that have played and are kept for the next sound.
    public static let warm = 8

    private let counts = Mutex((playing: 0, warm: 0))

    public init() {}

    var isSpent: Bool { counts.withLock { $0.playing >= Self.playing } }
    var isUnused: Bool { counts.withLock { $0 == (0, 0) } }

    /// One more plays; `isWarm`: it was kept. False: there are too many, and nothing has changed.
    func begin(isWarm: Bool) -> Bool {
        counts.withLock { counts in
            guard counts.playing < Self.playing else { return false }
            counts.playing += 1
            if isWarm { counts.warm -= 1 }
            return true
        }
    }

    /// One has ended. Whether it may be kept.
    func rest() -> Bool {
        counts.withLock { counts in
            counts.playing -= 1
            guard counts.warm < Self.warm else { return false }
            counts.warm += 1
            return true
        }
    }

    /// One that could not be made, or ended with its announcer.
    func giveBack(isWarm: Bool) {
        counts.withLock { counts in
            if isWarm { counts.warm -= 1 } else { counts.playing -= 1 }
        }
    }
}
