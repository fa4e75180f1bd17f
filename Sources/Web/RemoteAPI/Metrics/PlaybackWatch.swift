// SPDX-License-Identifier: Apache-2.0

import Playback
import Kernel

/// Looks whether the player keeps its promise: `playing` means that sound advances. A pure value.
struct PlaybackWatch {
    /// A position that stands for this long while `playing` is a failure.
    static let patience = 2.0
    /// Behind the end of an item its effects die away: 5.5 s at most.
    static let longestTail = 6.0

    private var itemID: ItemID?
    private var position = 0.0
    private var discontinuity: UInt64 = 0
    private var since: MonotonicTime?

    /// A sentence when something is wrong; nil when all is well.
    mutating func look(_ snapshot: PlayerSnapshot, now: MonotonicTime) -> String? {
        guard snapshot.status == .playing else {
            since = nil
            return nil
        }
        if case .unavailable(let message) = snapshot.output.availability {
            return "The player says playing, but the output is unavailable: \(message)"
        }
        let position = snapshot.clock.position(at: now)
        let stands =
            position == self.position && itemID == snapshot.item?.item.id
            && discontinuity == snapshot.clock.discontinuity
        guard stands, let since else {
            self.position = position
            itemID = snapshot.item?.item.id
            discontinuity = snapshot.clock.discontinuity
            since = now
            return nil
        }
        let seconds = now.seconds(since: since)
        let isAtEnd = snapshot.clock.duration.map { position >= $0 } ?? false
        guard seconds >= Self.patience + (isAtEnd ? Self.longestTail : 0) else { return nil }
        return "The player says playing, but its position has stood still for \(Int(clamping: seconds)) s."
    }
}
