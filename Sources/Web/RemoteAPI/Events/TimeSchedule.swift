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
        func due(after time: Int64, phases: Int) -> Int64 {
            let offset = interval / Int64(phases) * Int64(phase)
            return ((time - offset) / interval + 1) * interval + offset
        }
    }

    private struct Cohort {
        var members: [Member] = []
        var due: Int64
    }

    private var cohorts: [Key: Cohort] = [:]
    private var places: [ObjectIdentifier: (key: Key, index: Int)] = [:]

    var isEmpty: Bool { places.isEmpty }
    var count: Int { places.count }

    /// Adds the member or changes its interval (seconds).
    mutating func set(_ member: Member, interval: Double, now: MonotonicTime) {
        remove(member)
        let key = place(Int64(clamping: (interval * 1e9).rounded()))
        var cohort = cohorts[key] ?? Cohort(due: key.due(after: now.nanoseconds, phases: Self.phases))
        places[ObjectIdentifier(member)] = (key, cohort.members.count)
        cohorts[key] = nil
        cohort.members.append(member)
        cohorts[key] = cohort
    }

    mutating func remove(_ member: Member) {
        guard let (key, index) = places.removeValue(forKey: ObjectIdentifier(member)) else { return }
        var cohort = cohorts.removeValue(forKey: key)!
        let last = cohort.members.removeLast()
        if last !== member {
            cohort.members[index] = last
            places[ObjectIdentifier(last)] = (key, index)
        }
        if !cohort.members.isEmpty { cohorts[key] = cohort }
    }

    var nextDue: MonotonicTime? {
        // A key path of a generic type would be allocated each time.
        cohorts.values.lazy.map { $0.due }.min().map { MonotonicTime(nanoseconds: $0) }
    }

    /// The groups of due members; each gets its next time.
    mutating func takeDue(_ now: MonotonicTime) -> [[Member]] {
        var groups: [[Member]] = []
        // A `for` loop would copy all cohorts with the first change.
        var index = cohorts.startIndex
        while index != cohorts.endIndex {
            if cohorts.values[index].due <= now.nanoseconds {
                groups.append(cohorts.values[index].members)
                cohorts.values[index].due = cohorts.keys[index].due(after: now.nanoseconds, phases: Self.phases)
            }
            cohorts.formIndex(after: &index)
        }
        return groups
    }

    /// Drops times in the past, for example after a pause.
    mutating func realign(_ now: MonotonicTime) {
        for key in cohorts.keys { cohorts[key]!.due = key.due(after: now.nanoseconds, phases: Self.phases) }
    }

    private func place(_ interval: Int64) -> Key {
        let first = Key(interval: interval, phase: 0)
        guard interval >= Self.shortestSpreadInterval else { return first }
        var best = first
        var fewest = Int.max
        for phase in 0..<Self.phases {
            let key = Key(interval: interval, phase: phase)
            let count = cohorts[key]?.members.count ?? 0
            if count < Self.membersPerPhase { return key }
            if count < fewest { (best, fewest) = (key, count) }
        }
        return best
    }
}
