// SPDX-License-Identifier: Apache-2.0

internal import Kernel
internal import Playback

/// The waiting requests, and the one that is being saved: one at a time, as each may depend on the one before. A change
/// that the disk does not save in time is refused; if it is written later, the disk is ahead of the state in force.
struct SessionChanges {
    typealias Number = UInt64

    private var waiting: [(request: SessionRequest, reply: ServiceReply<SessionStatus>)] = []
    private var saving: Saving?
    private var lastNumber: Number = 0
    private var isDiskAhead = false

    private struct Saving {
        let number: Number
        let proposal: SessionCore.Proposal
        let reply: ServiceReply<SessionStatus>
        let until: MonotonicTime
    }

    /// Time at which the pending save is given up.
    var deadline: MonotonicTime? { saving?.until }

    mutating func add(_ request: SessionRequest, _ reply: @escaping ServiceReply<SessionStatus>) {
        waiting.append((request, reply))
    }

    /// nil while one is being saved.
    mutating func next() -> (request: SessionRequest, reply: ServiceReply<SessionStatus>)? {
        saving == nil && !waiting.isEmpty ? waiting.removeFirst() : nil
    }

    mutating func begin(
        _ proposal: SessionCore.Proposal, _ reply: @escaping ServiceReply<SessionStatus>, until: MonotonicTime
    ) -> Number {
        lastNumber += 1
        saving = Saving(number: lastNumber, proposal: proposal, reply: reply, until: until)
        return lastNumber
    }

    /// The change to commit; nil if it is or was refused.
    mutating func saved(
        _ number: Number, _ failure: SaveFailure?
    ) -> (proposal: SessionCore.Proposal, reply: ServiceReply<SessionStatus>)? {
        guard let saving, saving.number == number else {
            if failure == nil { isDiskAhead = true }
            return nil
        }
        self.saving = nil
        if let failure {
            saving.reply(.failure(.notSaved(failure.reason, isDiskFull: failure.isDiskFull)))
            return nil
        }
        // The store keeps the order, so this was written last.
        isDiskAhead = false
        return (saving.proposal, saving.reply)
    }

    /// Whether a save was given up.
    mutating func giveUp(at now: MonotonicTime) -> Bool {
        guard let saving, saving.until <= now else { return false }
        self.saving = nil
        saving.reply(.failure(.notSaved("The disk does not respond.")))
        return true
    }

    /// Whether the state in force must be written again, over a refused change. True once.
    mutating func mustRestore() -> Bool {
        guard isDiskAhead, saving == nil else { return false }
        isDiskAhead = false
        return true
    }

    func refuseAll() {
        let problem = Problem.notSaved("The server is going down.")
        saving?.reply(.failure(problem))
        for (_, reply) in waiting { reply(.failure(problem)) }
    }
}
