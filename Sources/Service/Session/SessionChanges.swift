// SPDX-License-Identifier: Apache-2.0

internal import Kernel

/// The requests that wait, and the one that is being saved: one at a time, as each may depend on the one before. What the
/// disk does not take in time is refused; should it be written after all, the disk is ahead of what is in force.
struct SessionChanges {
    typealias Number = UInt64

    private var waiting: [(request: SessionRequest, reply: LiveSession.Reply)] = []
    private var saving: Saving?
    private var lastNumber: Number = 0
    private var isDiskAhead = false

    private struct Saving {
        let number: Number
        let proposal: SessionCore.Proposal
        let reply: LiveSession.Reply
        let until: MonotonicTime
    }

    /// When the one that is being saved is given up.
    var deadline: MonotonicTime? { saving?.until }

    mutating func add(_ request: SessionRequest, _ reply: @escaping LiveSession.Reply) {
        waiting.append((request, reply))
    }

    /// nil while one is being saved.
    mutating func next() -> (request: SessionRequest, reply: LiveSession.Reply)? {
        saving == nil && !waiting.isEmpty ? waiting.removeFirst() : nil
    }

    mutating func begin(
        _ proposal: SessionCore.Proposal, _ reply: @escaping LiveSession.Reply, until: MonotonicTime
    ) -> Number {
        lastNumber += 1
        saving = Saving(number: lastNumber, proposal: proposal, reply: reply, until: until)
        return lastNumber
    }

    /// What comes into force; nil when it is refused, or was.
    mutating func saved(
        _ number: Number, _ failure: String?
    ) -> (proposal: SessionCore.Proposal, reply: LiveSession.Reply)? {
        guard let saving, saving.number == number else {
            if failure == nil { isDiskAhead = true }
            return nil
        }
        self.saving = nil
        if let failure {
            saving.reply(.failure(.notSaved(failure)))
            return nil
        }
        // The store keeps the order: this is the last that was written.
        isDiskAhead = false
        return (saving.proposal, saving.reply)
    }

    /// Whether one was given up.
    mutating func giveUp(at now: MonotonicTime) -> Bool {
        guard let saving, saving.until <= now else { return false }
        self.saving = nil
        saving.reply(.failure(.notSaved("The disk does not answer.")))
        return true
    }

    /// Whether what is in force has to be written over what was refused. Once.
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
