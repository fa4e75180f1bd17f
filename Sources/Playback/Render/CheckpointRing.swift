// SPDX-License-Identifier: Apache-2.0

internal import Audio

/// Recent states of a chain, to continue from after a step back. Fixed memory; the oldest state is overwritten.
struct CheckpointRing {
    /// One state every 21 ms and one per change, at most 25 a second: more than half a second.
    private static var capacity: Int {
        @_noLocks @_noAllocation get { 48 }
    }

    private struct Checkpoint {
        /// The ring index of the chain's next input frame.
        var index: FrameCount
        var chain: EffectChain
    }

    private let slots = UnsafeMutablePointer<Checkpoint>.allocate(capacity: Self.capacity)
    /// The reverb's state for each slot; nil without a reverb.
    private var reverbs: UnsafeMutablePointer<Reverb>?
    /// The reverb whose state is saved with the chain's.
    private var reverb: UnsafeMutablePointer<Reverb>?
    private var first = 0
    private var count = 0

    func deallocate() {
        slots.deallocate()
        reverbs?.deallocate()
    }

    /// Saves this reverb's state as well, in 3 MB. The existing states get its present state.
    mutating func keepReverb(_ reverb: UnsafeMutablePointer<Reverb>) {
        let memory = UnsafeMutablePointer<Reverb>.allocate(capacity: Self.capacity)
        memory.initialize(repeating: reverb.pointee, count: Self.capacity)
        (self.reverb, reverbs) = (reverb, memory)
    }

    @_noLocks @_noAllocation
    mutating func removeAll() { count = 0 }

    /// `index` must not be before the last one; a state at the same index is replaced.
    @_noLocks @_noAllocation
    mutating func append(_ chain: UnsafeMutablePointer<EffectChain>, at index: FrameCount) {
        if count > 0, slot(count - 1).pointee.index == index {
            count -= 1
        } else if count == Self.capacity {
            first = (first + 1) % Self.capacity
            count -= 1
        }
        slot(count).pointee.index = index
        slot(count).pointee.chain = chain.pointee
        if let reverb, let reverbs { reverbs[(first + count) % Self.capacity] = reverb.pointee }
        count += 1
    }

    /// Restores the latest state at or before `index`, drops the later ones and returns its index; nil if all are later.
    @_noLocks @_noAllocation
    mutating func restore(_ chain: UnsafeMutablePointer<EffectChain>, to index: FrameCount) -> FrameCount? {
        while count > 0, slot(count - 1).pointee.index > index { count -= 1 }
        guard count > 0 else { return nil }
        chain.pointee = slot(count - 1).pointee.chain
        if let reverb, let reverbs { reverb.pointee = reverbs[(first + count - 1) % Self.capacity] }
        return slot(count - 1).pointee.index
    }

    @_noLocks @_noAllocation
    private func slot(_ position: Int) -> UnsafeMutablePointer<Checkpoint> {
        slots + (first + position) % Self.capacity
    }
}
