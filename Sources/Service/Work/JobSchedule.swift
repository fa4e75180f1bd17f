// SPDX-License-Identifier: Apache-2.0

/// Which of the jobs that wait may begin: the first come, but none that would take more than its share. A pure value.
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

    /// `width`: jobs that may run at the same time.
    init(width: Int, maximumWaiting: Int) {
        self.width = width
        self.maximumWaiting = maximumWaiting
    }

    /// False when too many wait already, in all or of one share.
    mutating func add(_ job: Job, _ shares: [JobShare]) -> Bool {
        guard waiting.count < maximumWaiting,
            shares.allSatisfy({ waitingByShare[$0.name, default: 0] < $0.waiting })
        else { return false }
        last += 1
        for share in shares { waitingByShare[share.name, default: 0] += 1 }
        waiting.append(Entry(id: last, job: job, shares: shares))
        return true
    }

    /// Whether `begin` would give one.
    var hasReady: Bool { readyIndex() != nil }

    /// Takes the next out of those that wait; it runs until `end`.
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

    /// Takes one out that shall not run; nil when it waits no more.
    mutating func withdraw(_ id: UInt64) -> Entry? { waiting.firstIndex { $0.id == id }.map { take($0) } }

    private mutating func take(_ index: Int) -> Entry {
        let entry = waiting.remove(at: index)
        for share in entry.shares { Self.countDown(&waitingByShare, share.name) }
        return entry
    }

    private func readyIndex() -> Int? {
        guard running < width else { return nil }
        // Of a share that takes one at a time, none goes before an earlier one.
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

/// A thing that several jobs share (a server that they ask, a client that they are for), and how many may have it.
struct JobShare: Hashable, Sendable {
    var name: String
    /// At the same time. One at a time: in their order.
    var running: Int
    var waiting = Int.max
}
