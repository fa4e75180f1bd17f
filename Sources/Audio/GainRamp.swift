// SPDX-License-Identifier: Apache-2.0

/// The gains of every channel, moving linearly (in amplitude) to a target. Real-time safe.
///
/// A value: a renderer copies it before it renders and puts the copy back when it renders the same frames again. What
/// comes out does not depend on how the frames are cut into calls.
public struct GainRamp: Sendable {
    private let channels: Int
    private let sides: Sides
    private var target: SIMD8<Float>
    /// Amplitude per frame; the gain `remaining` frames before the end is `target - step * remaining`.
    private var step = SIMD8<Float>(repeating: 0)
    /// Frames until the target is reached.
    public private(set) var remaining = 0

    /// Which gain each channel follows: 1 for the left (right) ones, 0 for the others.
    private struct Sides {
        var left = SIMD8<Float>(repeating: 0)
        var right = SIMD8<Float>(repeating: 0)
    }

    public init(layout: ChannelLayout, gains: ChannelGains = .unity) {
        channels = layout.positions.count
        var sides = Sides()
        for (channel, position) in layout.positions.enumerated() {
            switch position {
            case .frontLeft, .rearLeft, .sideLeft: sides.left[channel] = 1
            case .frontRight, .rearRight, .sideRight: sides.right[channel] = 1
            case .mono, .frontCenter, .lowFrequency, .rearCenter, .auxiliary: break
            }
        }
        self.sides = sides
        target = Self.perChannel(gains, sides)
    }

    /// Where the gains are now, for another ramp to go on from; a side that the layout lacks is told as `other`.
    public var current: ChannelGains {
        let now = target - step * Float(remaining)
        func gain(_ side: SIMD8<Float>) -> Float? { (0..<channels).first { side[$0] == 1 }.map { now[$0] } }
        let other = gain(SIMD8(repeating: 1) - sides.left - sides.right)
        let (left, right) = (gain(sides.left), gain(sides.right))
        let any = other ?? left ?? right ?? 1
        return ChannelGains(left: left ?? any, right: right ?? any, other: any)
    }

    /// Moves from where the gains are now over `frames` frames; 0 jumps.
    @_noLocks @_noAllocation
    public mutating func move(to gains: ChannelGains, frames: Int) {
        let now = target - step * Float(remaining)
        target = Self.perChannel(gains, sides)
        remaining = max(0, frames)
        step = remaining > 0 ? (target - now) / Float(remaining) : SIMD8(repeating: 0)
    }

    /// Multiplies interleaved frames in place and moves on. At unity the samples stay bit-exact.
    @_noLocks @_noAllocation
    public mutating func apply(to samples: UnsafeMutablePointer<Float>, frames: Int) {
        let moving = min(frames, remaining)
        var frame = 0
        while frame < moving {
            remaining -= 1
            let gain = target - step * Float(remaining)
            for channel in 0..<channels { samples[frame * channels + channel] *= gain[channel] }
            frame += 1
        }
        if remaining == 0 { scale(samples + moving * channels, frames: frames - moving) }
    }

    @_noLocks @_noAllocation
    private func scale(_ samples: UnsafeMutablePointer<Float>, frames: Int) {
        switch channels {
        case 1:
            let gain = target[0]
            if gain == 1 { return }
            for index in 0..<frames { samples[index] *= gain }
        case 2:
            let (left, right) = (target[0], target[1])
            if left == 1, right == 1 { return }
            for frame in 0..<frames {
                samples[2 * frame] *= left
                samples[2 * frame + 1] *= right
            }
        default:
            var isUnity = true
            for channel in 0..<channels where target[channel] != 1 { isUnity = false }
            if isUnity { return }
            for frame in 0..<frames {
                for channel in 0..<channels { samples[frame * channels + channel] *= target[channel] }
            }
        }
    }

    @_noLocks @_noAllocation
    private static func perChannel(_ gains: ChannelGains, _ sides: Sides) -> SIMD8<Float> {
        let others = SIMD8<Float>(repeating: 1) - sides.left - sides.right
        return sides.left * gains.left + sides.right * gains.right + others * gains.other
    }
}
