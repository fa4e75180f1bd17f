// SPDX-License-Identifier: Apache-2.0

internal import Kernel
internal import Playback

/// Changes that are saved before they are applied: one at a time, as each may depend on the one before. A change that the
/// disk does not save in time is refused; the disk may still write it, so the owner saves the state in force over it.
struct PendingChanges<Request, Prepared, Answer: Sendable> {
    typealias Reply = ServiceReply<Answer>

    private struct Saving {
        let number: UInt64
        let change: Prepared
        let reply: Reply
        let until: MonotonicTime
    }

    /// The sentence of a refusal, without its reason.
    private let refusal: String
    /// Seconds that the disk has for a change.
    private let patience: Double
    private var waiting: [(request: Request, reply: Reply)] = []
    private var saving: Saving?
    private var lastNumber: UInt64 = 0

    init(refusal: String, patience: Double = 3) { (self.refusal, self.patience) = (refusal, patience) }

    /// Time at which the pending save is given up.
    var deadline: MonotonicTime? { saving?.until }
    var isIdle: Bool { saving == nil }

    mutating func add(_ request: Request, _ reply: @escaping Reply) { waiting.append((request, reply)) }

    /// nil while a change is being saved.
    mutating func next() -> (request: Request, reply: Reply)? {
        saving == nil && !waiting.isEmpty ? waiting.removeFirst() : nil
    }

    /// Returns the number of the change, for `saved`.
    mutating func begin(_ change: Prepared, _ reply: @escaping Reply, at now: MonotonicTime) -> UInt64 {
        lastNumber += 1
        saving = Saving(number: lastNumber, change: change, reply: reply, until: now.advanced(bySeconds: patience))
        return lastNumber
    }

    /// The change to apply; nil if it is or was refused.
    mutating func saved(_ number: UInt64, _ failure: SaveFailure?) -> (change: Prepared, reply: Reply)? {
        guard let saving, saving.number == number else { return nil }
        self.saving = nil
        guard let failure else { return (saving.change, saving.reply) }
        saving.reply(.failure(.notSaved(refusal, failure)))
        return nil
    }

    /// Whether a save was given up. The changes that wait are refused with it: each would wait as long again.
    @discardableResult
    mutating func giveUp(at now: MonotonicTime) -> Bool {
        guard let saving, saving.until <= now else { return false }
        refuseAll(.notSaved("The disk does not respond."))
        return true
    }

    mutating func refuseAll(_ problem: Problem) {
        saving?.reply(.failure(problem))
        for (_, reply) in waiting { reply(.failure(problem)) }
        (saving, waiting) = (nil, [])
    }
}
