// SPDX-License-Identifier: Apache-2.0

/// A short fade in or out against clicks: a smooth step (3t² - 2t³, close to a raised cosine). Real-time safe, a value.
public struct Fade: Sendable {
    public enum Direction: Sendable { case rising, falling }

    public let direction: Direction
    /// Length in frames.
    public let frames: Int
    /// Frames done; at `frames` a rising fade is transparent and a falling one silent.
    public private(set) var phase: Int

    public var isOver: Bool { phase >= frames }

    /// What suffices against a click: 5 ms.
    public static func frames(at sampleRate: Int) -> Int { max(1, sampleRate / 200) }

    public init(_ direction: Direction, frames: Int, phase: Int = 0) {
        self.direction = direction
        self.frames = frames
        self.phase = phase
    }

    /// Multiplies interleaved frames in place and moves on. The last frame of a falling fade is silent, the last of a
    /// rising one is at full level.
    @_noLocks @_noAllocation
    public mutating func apply(to samples: UnsafeMutablePointer<Float>, frames count: Int, channels: Int) {
        let moving = max(0, min(count, frames - phase))
        for frame in 0..<moving {
            phase += 1
            let t = Float(phase) / Float(frames)
            let rising = t * t * (3 - 2 * t)
            let gain = direction == .rising ? rising : 1 - rising
            for channel in 0..<channels { samples[frame * channels + channel] *= gain }
        }
        guard direction == .falling else { return }
        for index in moving * channels..<max(moving, count) * channels { samples[index] = 0 }
    }
}
