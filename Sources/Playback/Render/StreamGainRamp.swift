// SPDX-License-Identifier: Apache-2.0

public import Audio

/// Gains as a function of the stream index, so that frames can be rendered again and come out the same.
public struct StreamGainRamp: Hashable, Sendable {
    public var from: ChannelGains
    public var to: ChannelGains
    public var start: FrameCount
    /// Frames; 0 when the gains stand.
    public var length: FrameCount

    public init(_ gains: ChannelGains) {
        self.init(from: gains, to: gains, start: 0, length: 0)
    }

    public init(from: ChannelGains, to: ChannelGains, start: FrameCount, length: FrameCount) {
        self.from = from
        self.to = to
        self.start = start
        self.length = length
    }

    @_noLocks @_noAllocation
    public func gains(at index: FrameCount) -> ChannelGains {
        guard index < start + length else { return to }
        guard index > start else { return from }
        let part = Float(index - start) / Float(length)
        var gains = from
        gains.left += (to.left - from.left) * part
        gains.right += (to.right - from.right) * part
        gains.other += (to.other - from.other) * part
        return gains
    }

    /// Whether frames from `index` on stay untouched.
    @_noLocks @_noAllocation
    public func isUnity(from index: FrameCount) -> Bool {
        isSteady(from: index) && to.left == 1 && to.right == 1 && to.other == 1
    }

    @_noLocks @_noAllocation
    public func isSteady(from index: FrameCount) -> Bool { index >= start + length }

    /// The same course in a stream of `newRate`, whose index 0 comes where this one's `index` would.
    public func continued(from index: FrameCount, rate: Int, newRate: Int) -> StreamGainRamp {
        let rest = max(0, start + length - max(index, start))
        return StreamGainRamp(
            from: gains(at: index), to: to, start: 0, length: rest * FrameCount(newRate) / FrameCount(rate))
    }
}
