// SPDX-License-Identifier: Apache-2.0

public import Audio

/// A smooth change of a gain, as a function of the stream index.
public struct StreamFade: Hashable, Sendable {
    private let from: Float
    private let to: Float
    private let start: FrameCount
    private let length: FrameCount

    @_noLocks @_noAllocation
    public init(from: Float, to: Float, start: FrameCount, length: FrameCount) {
        self.from = from
        self.to = to
        self.start = start
        self.length = length
    }

    /// No fade: leaves the frames unchanged.
    public static var none: StreamFade {
        @_noLocks @_noAllocation get { StreamFade(from: 1, to: 1, start: 0, length: 0) }
    }

    @_noLocks @_noAllocation
    public func gain(at index: FrameCount) -> Float {
        guard index < start + length else { return to }
        guard index > start else { return from }
        return from + (to - from) * (Float(index - start) / Float(length)).smoothStep
    }

    /// True if the fade leaves frames from `index` on unchanged.
    @_noLocks @_noAllocation
    public func isUnity(from index: FrameCount) -> Bool { to == 1 && index >= start + length }
}
