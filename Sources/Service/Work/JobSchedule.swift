// SPDX-License-Identifier: Apache-2.0

/// Decides which waiting job starts next: first come, first served, within the limits of each share. A pure value.
struct JobSchedule<Job> {
    struct Entry {
        let id: UInt64
        let job: Job
        let shares: [JobShare]
    }

    let width: Int
    let maximumWaiting: Int
    private(set) var waiting: [Entry] = []
    private(set) var running = 0
    private var runningByShare: [String: Int] = [:]
    private var waitingByShare: [String: Int] = [:]
    private var last: UInt64 = 0

    /// `width`: maximum number of concurrent jobs.
    init(width: Int, maximumWaiting: Int) {
        self.width = width
        self.maximumWaiting = maximumWaiting
    }

    /// False if too many jobs are waiting, in total or in one share.
    mutating func add(_ job: Job, _ shares: [JobShare]) -> Bool {
        guard waiting.count < maximumWaiting,
            shares.allSatisfy({ waitingByShare[$0.name, default: 0] < $0.waiting })
        else { return false }
        last += 1
        for share in shares { waitingByShare[share.name, default: 0] += 1 }
        waiting.append(Entry(id: last, job: job, shares: shares))
        return true
    }

    /// Whether `begin` would return a job.
    var hasReady: Bool { readyIndex() != nil }

    /// Removes the next job from the waiting ones; it runs until `end`.
    mutating func begin() -> Entry? {
        guard let index = readyIndex() else { return nil }
        let entry = take(index)
        running += 1
        for share in entry.shares { runningByShare[share.name, default: 0] += 1 }
        return entry
    }

    mutating func end(_ shares: [JobShare]) {
        running -= 1
        for share in shares { Self.countDown(&runningByShare, share.name) }
    }

    /// Removes a waiting job; nil if it is no longer waiting.
    mutating func withdraw(_ id: UInt64) -> Entry? { waiting.firstIndex { $0.id == id }.map { take($0) } }

    private mutating func take(_ index: Int) -> Entry {
        let entry = waiting.remove(at: index)
        for share in entry.shares { Self.countDown(&waitingByShare, share.name) }
        return entry
    }

    private func readyIndex() -> Int? {
        guard running < width else { return nil }
        // In a share with one job at a time, no job overtakes an earlier one.
        var kept: Set<String> = []
        return waiting.firstIndex { entry in
            let isReady = entry.shares.allSatisfy { share in
                runningByShare[share.name, default: 0] < share.running && !kept.contains(share.name)
            }
            if !isReady { kept.formUnion(entry.shares.lazy.filter { $0.running == 1 }.map(\.name)) }
            return isReady
        }
    }

    private static func countDown(_ counts: inout [String: Int], _ name: String) {
        let left = counts[name, default: 1] - 1
        counts[name] = left > 0 ? left : nil
    }
}

/// A resource shared by several jobs (a server that they contact, or their client), with its limits.
struct JobShare: Hashable, Sendable {
    var name: String
    /// Concurrent jobs. With 1, jobs run in order.
    var running: Int
    var waiting = Int.max
}
