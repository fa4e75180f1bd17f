// SPDX-License-Identifier: Apache-2.0

/// The offsets of one time zone, as a TZif file (RFC 9636) gives them: a list of changes, and a rule for all that follows.
///
/// Seconds since 1970-01-01 00:00: `time` in UTC, `local` as a clock on the wall counts them.
struct ZoneRules: Hashable, Sendable {
    struct Change: Hashable, Sendable {
        var time: Int
        /// Seconds east of UTC from then on.
        var offset: Int
    }

    static let utc = ZoneRules(changes: [], first: 0, rest: nil)

    /// By time.
    var changes: [Change]
    /// The offset before the first change.
    var first: Int
    /// For what follows the last change; nil: its offset holds for good.
    var rest: ZoneRule?

    func offset(at time: Int) -> Int {
        if let last = changes.last, time < last.time {
            let following = changes.partitionPoint { $0.time <= time }
            return following == 0 ? first : changes[following - 1].offset
        }
        return rest?.offset(at: time) ?? changes.last?.offset ?? first
    }

    /// When clocks show `local`. Where they show it twice: the first time; where they jump over it: when they jump.
    func time(of local: Int) -> Int {
        let (before, after) = (offset(at: local - CivilDay.seconds), offset(at: local + CivilDay.seconds))
        let fitting = [local - before, local - after].filter { $0 + offset(at: $0) == local }
        if let time = fitting.min() { return time }
        // The jump lies between the two, and is found by halving.
        var (low, high) = (local - CivilDay.seconds, local + CivilDay.seconds)
        while high - low > 1 {
            let middle = low + (high - low) / 2
            if offset(at: middle) == before { low = middle } else { high = middle }
        }
        return high
    }
}

extension Array {
    /// The index of the first element that is not `isBefore`; all those come first.
    fileprivate func partitionPoint(_ isBefore: (Element) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = low + (high - low) / 2
            if isBefore(self[middle]) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
