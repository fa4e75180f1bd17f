// SPDX-License-Identifier: Apache-2.0

internal import Audio

/// The latest states of a chain, to go on from after a step back: fixed memory, the oldest gives way.
struct CheckpointRing {
    /// With one each 21 ms and one for each change, 25 a second at most: more than half a second.
    private static var capacity: Int {
        @_noLocks @_noAllocation get { 48 }
    }

    private struct Checkpoint {
        /// Of the frame that goes in next.
        var index: FrameCount
        var chain: EffectChain
    }

    private let slots = UnsafeMutablePointer<Checkpoint>.allocate(capacity: Self.capacity)
    /// One for each slot; nil without a reverb.
    private var reverbs: UnsafeMutablePointer<Reverb>?
    /// The reverb whose state is kept along with the chain's.
    private var reverb: UnsafeMutablePointer<Reverb>?
    private var first = 0
    private var count = 0

    func deallocate() {
        slots.deallocate()
        reverbs?.deallocate()
    }

    /// From now on this reverb's state is kept as well: 3 MB. In the states that are there it is as it is now.
    mutating func keepReverb(_ reverb: UnsafeMutablePointer<Reverb>) {
        let memory = UnsafeMutablePointer<Reverb>.allocate(capacity: Self.capacity)
        memory.initialize(repeating: reverb.pointee, count: Self.capacity)
        (self.reverb, reverbs) = (reverb, memory)
    }

    @_noLocks @_noAllocation
    mutating func removeAll() { count = 0 }

    /// `index` is not before the last one's; one at the same index takes its place.
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

    /// Puts back the latest state at or before `index`, drops the later ones, and returns its index; nil when all are later.
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
