// SPDX-License-Identifier: Apache-2.0

internal import Audio

/// The size of a decoded chunk, and how far ahead of the sink to decode.
public struct DecodeBuffering: Hashable, Sendable {
    public static let frameRange = 512...65_536
    public static let countRange = 2...64

    /// Frames of a chunk; by default about 0.1 s, small enough for a quick seek.
    public var frames: Int
    /// Chunks that may wait for the sink; by default as many as an output's ring holds.
    public var count: Int

    /// Both must lie in their ranges.
    public init(frames: Int = 4_608, count: Int = 20) {
        precondition(Self.frameRange.contains(frames) && Self.countRange.contains(count))
        self.frames = frames
        self.count = count
    }

    /// The minimum in seconds: every sink needs this much.
    static let floor = 0.1

    /// Ring frames that may be unread, for media of this sample rate; `seconds`, if not 0, is the user's setting.
    func limit(in ring: FrameRing, sampleRate: Int, seconds: Double) -> Int {
        let ahead =
            seconds > 0
            ? Int(ring.format.frames(seconds)) : frames * count * ring.format.sampleRate / max(1, sampleRate)
        return min(ring.capacity, max(ahead, Int(ring.format.frames(Self.floor))))
    }
}
