// SPDX-License-Identifier: Apache-2.0

internal import Audio

/// How much is decoded at a time, and how far ahead of what the sink has taken.
public struct DecodeBuffering: Hashable, Sendable {
    public static let frameRange = 512...65_536
    public static let countRange = 2...64

    /// Frames decoded at a time; by default about 0.1 s, small enough to answer a seek quickly.
    public var frames: Int
    /// How many times that may wait for the sink; by default what an output's ring holds.
    public var count: Int

    /// Both must lie in their ranges.
    public init(frames: Int = 4_608, count: Int = 20) {
        precondition(Self.frameRange.contains(frames) && Self.countRange.contains(count))
        self.frames = frames
        self.count = count
    }

    /// The least sound that any sink needs at hand, in seconds.
    static let floor = 0.1

    /// Ring frames that may be unread while material of this rate is written. `seconds` of them where a user has said so.
    func limit(in ring: FrameRing, sampleRate: Int, seconds: Double) -> Int {
        let ahead =
            seconds > 0
            ? Int(ring.format.frames(seconds)) : frames * count * ring.format.sampleRate / max(1, sampleRate)
        return min(ring.capacity, max(ahead, Int(ring.format.frames(Self.floor))))
    }
}
