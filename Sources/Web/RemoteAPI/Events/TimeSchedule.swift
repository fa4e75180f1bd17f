// SPDX-License-Identifier: Apache-2.0

import Kernel

/// The next time of each member, with one interval for each member. A pure value.
///
/// Members with the same interval share their times, so that an event is encoded once for all of them. A large group is
/// spread over up to `phases` times within the interval, so that no single time has to serve thousands.
struct TimeSchedule<Member: AnyObject> {
    static var phases: Int { 16 }
    static var membersPerPhase: Int { 256 }
    /// Shorter intervals are not spread, as there would be too many times.
    static var shortestSpreadInterval: Int64 { 250_000_000 }

    private struct Key: Hashable {
        /// Nanoseconds.
        var interval: Int64
        var phase: Int

        /// The first time after `time`.
        func due(after time: Int64) -> Int64 {
            let offset = interval / Int64(TimeSchedule.phases) * Int64(phase)
            return ((time - offset) / interval + 1) * interval + offset
        }
    }

    private struct Cohort {
        var members: [ObjectIdentifier: Member] = [:]
        var due: Int64
    }

    private var cohorts: [Key: Cohort] = [:]
    private var places: [ObjectIdentifier: Key] = [:]

    var isEmpty: Bool { places.isEmpty }

    /// Adds the member or changes its interval (seconds).
    mutating func set(_ member: Member, interval: Double, now: MonotonicTime) {
        remove(member)
        let nanoseconds = Int64(clamping: (interval * 1e9).rounded())
        let phases = nanoseconds < Self.shortestSpreadInterval ? 1 : Self.phases
        let sizes = (0..<phases).map { cohorts[Key(interval: nanoseconds, phase: $0)]?.members.count ?? 0 }
        let phase = sizes.firstIndex { $0 < Self.membersPerPhase } ?? sizes.firstIndex(of: sizes.min() ?? 0) ?? 0
        let key = Key(interval: nanoseconds, phase: phase)
        let due = key.due(after: now.nanoseconds)
        cohorts[key, default: Cohort(due: due)].members[ObjectIdentifier(member)] = member
        places[ObjectIdentifier(member)] = key
    }

    mutating func remove(_ member: Member) {
        guard let key = places.removeValue(forKey: ObjectIdentifier(member)) else { return }
        cohorts[key]?.members[ObjectIdentifier(member)] = nil
        if cohorts[key]?.members.isEmpty == true { cohorts[key] = nil }
    }

    var nextDue: MonotonicTime? {
        // A key path of a generic type would be allocated each time.
        cohorts.values.lazy.map { $0.due }.min().map { MonotonicTime(nanoseconds: $0) }
    }

    /// The groups of due members; each gets its next time.
    mutating func takeDue(_ now: MonotonicTime) -> [[Member]] {
        let due = cohorts.filter { $0.value.due <= now.nanoseconds }
        for key in due.keys { cohorts[key]?.due = key.due(after: now.nanoseconds) }
        return due.values.map { Array($0.members.values) }
    }

    /// Drops times in the past, for example after a pause.
    mutating func realign(_ now: MonotonicTime) {
        for key in cohorts.keys { cohorts[key]?.due = key.due(after: now.nanoseconds) }
    }
}
