// SPDX-License-Identifier: Apache-2.0

internal import HTTP
internal import Kernel

/// A connection whose head is incomplete, or that lingers after a short answer.
final class WaitingConnection {
    let descriptor: Int32
    let peer: HTTPPeer
    /// nil after handover or closing: the deadline queues may keep the object for longer.
    private(set) var lease: ConnectionLease?
    var isLingering = false
    /// Handed over or closed; its deadlines are obsolete.
    var isDone: Bool { lease == nil }

    init(descriptor: Int32, peer: HTTPPeer, lease: ConnectionLease) {
        self.descriptor = descriptor
        self.peer = peer
        self.lease = lease
    }

    func takeLease() -> ConnectionLease? { lease.take() }
}

/// Connections with the same time limit, hence in the order of their deadlines.
struct DeadlineQueue {
    private var entries: [(deadline: MonotonicTime, connection: WaitingConnection)] = []
    private var head = 0

    mutating func append(_ connection: WaitingConnection, at deadline: MonotonicTime) {
        entries.append((deadline, connection))
    }

    var next: MonotonicTime? { head < entries.count ? entries[head].deadline : nil }

    /// The next expired connection; finished ones are dropped on the way.
    mutating func takeExpired(_ now: MonotonicTime) -> WaitingConnection? {
        defer { compact() }
        while head < entries.count {
            let entry = entries[head]
            guard entry.connection.isDone || entry.deadline <= now else { return nil }
            head += 1
            if !entry.connection.isDone { return entry.connection }
        }
        return nil
    }

    private mutating func compact() {
        guard head > 64, head * 2 > entries.count || head == entries.count else {
            if head == entries.count { entries.removeAll(keepingCapacity: entries.capacity <= 256); head = 0 }
            return
        }
        entries.removeFirst(head)
        head = 0
    }
}
