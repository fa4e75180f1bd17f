// SPDX-License-Identifier: Apache-2.0

/// One half of an equal-power crossfade, as a function of the frame index.
///
/// A quarter of a sine, in linear pieces of 64 frames from `start` on, so that the result does not depend on how the frames
/// are divided into calls. The squares of two opposite curves over the same frames add up to 1.
public struct CrossfadeCurve: BitwiseCopyable, Hashable, Sendable {
    public enum Direction: UInt8, BitwiseCopyable, Sendable { case rising, falling }

    public let direction: Direction
    public let start: FrameCount
    public let frames: FrameCount

    private static var piece: FrameCount { @_noLocks @_noAllocation get { 64 } }

    public init(_ direction: Direction, start: FrameCount, frames: FrameCount) {
        self.direction = direction
        self.start = start
        self.frames = max(0, frames)
    }

    /// Multiplies interleaved frames in place; the first one has `index`.
    @_noLocks @_noAllocation
    public func apply(
        to samples: UnsafeMutablePointer<Float>, at index: FrameCount, frames count: Int, channels: Int
    ) {
        var done = 0
        while done < count {
            let place = index + FrameCount(done) - start
            if place < 0 || place >= frames {
                // Outside the curve: the frames before it, or all remaining ones.
                let rest = place < 0 ? min(count - done, Int(clamping: -place)) : count - done
                if (direction == .rising) == (place < 0) {
                    for sample in done * channels..<(done + rest) * channels { samples[sample] = 0 }
                }
                done += rest
                continue
            }
            let first = place / Self.piece * Self.piece
            let (from, to) = (border(first), border(first + Self.piece))
            let rest = min(count - done, Int(min(first + Self.piece, frames) - place))
            for frame in 0..<rest {
                let gain = from + (to - from) * Float(Int(place - first) + frame) / Float(Self.piece)
                for channel in 0..<channels { samples[(done + frame) * channels + channel] *= gain }
            }
            done += rest
        }
    }

    /// The gain at a piece's border, `place` frames after `start`.
    @_noLocks @_noAllocation
    private func border(_ place: FrameCount) -> Float {
        let part = min(1, Double(place) / Double(frames))
        return Float(sine(0.5 * Double.pi * (direction == .rising ? part : 1 - part)))
    }
}
