// SPDX-License-Identifier: Apache-2.0

public import Audio
internal import Kernel

/// Frames that replace all frames of a ring from an index on, crossfaded at the start.
///
/// Created by a decode thread, which waits for the answer. The output performs the splice on its render thread, between
/// two callbacks, because it takes the ring's lock.
public final class RingSplice: Sendable {
    enum Answer: Equatable {
        case done
        /// The splice came too late; the next one may start at this index.
        case notBefore(FrameCount)
    }

    let index: FrameCount
    private let samples: [Float]
    private let lease: FrameRing.Lease
    private let answer = Monitor<Answer?>(nil)

    /// `samples`: interleaved.
    init(at index: FrameCount, _ samples: [Float], _ lease: FrameRing.Lease) {
        (self.index, self.samples, self.lease) = (index, samples, lease)
    }

    /// Replaces the frames, unless `index` is before `first`. A revoked lease makes the answer meaningless.
    public func perform(in ring: FrameRing, notBefore first: FrameCount) {
        if first <= index, ring.replace(from: index, with: samples, lease: lease) {
            answer.change { $0 = .done }
        } else {
            answer.change { $0 = .notBefore(first) }
        }
    }

    /// nil without an answer by the deadline.
    func answer(by deadline: MonotonicTime) -> Answer? { answer.wait(until: deadline) { $0 } }
}
