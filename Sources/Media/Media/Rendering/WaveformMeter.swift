// SPDX-License-Identifier: Apache-2.0

internal import Audio
public import Playback
internal import Kernel

/// The peaks of an item over time, for a waveform display.
public struct WaveformMeter: Sendable {
    /// Frames per peak: 23 ms at 44.1 kHz.
    static let moment = 1_024
    /// Timeout for one item, in seconds. Enough for hours of music.
    public static let patience = 25.0

    /// The louder channel's peak, 0...255.
    private let moments: [UInt8]
    /// Seconds.
    public let duration: Double

    /// Decodes the whole item. Throws `unsupported` if that takes too long.
    public init(
        _ decoder: any AudioDecoder, cancellation: MediaCancellation = MediaCancellation()
    ) throws(MediaError) {
        let deadline = MonotonicTime.now.advanced(bySeconds: Self.patience)
        let samples = UnsafeMutableBufferPointer<Float>.allocate(capacity: 65_536)
        defer { samples.deallocate() }
        var moments: [UInt8] = []
        var seconds = 0.0
        var loudest: Float = 0
        var left = Self.moment
        var isOver = false
        while !isOver {
            if cancellation.isCancelled { throw MediaError(.cancelled, "The waveform is no longer needed.") }
            guard MonotonicTime.now < deadline else {
                throw MediaError(.unsupported, "The item is too long for a waveform.")
            }
            let format = decoder.media.format
            let decoded = try decoder.decode(into: samples)
            isOver = decoded.endOfStream
            seconds += format.seconds(FrameCount(decoded.frames))
            var place = 0
            while place < decoded.frames {
                let count = min(left, decoded.frames - place)
                let channels = format.channelCount
                for sample in samples[(place * channels)..<((place + count) * channels)] {
                    loudest = max(loudest, abs(sample))
                }
                place += count
                left -= count
                if left == 0 {
                    moments.append(Self.step(loudest))
                    (loudest, left) = (0, Self.moment)
                }
            }
        }
        if left < Self.moment { moments.append(Self.step(loudest)) }
        self.moments = moments
        duration = seconds
    }

    /// The peaks of `count` equal parts, 0...1. An item with fewer stored peaks repeats them.
    public func peaks(_ count: Int) -> [Double] {
        guard count > 0, !moments.isEmpty else { return [Double](repeating: 0, count: max(0, count)) }
        return (0..<count).map { part in
            let first = part * moments.count / count
            let end = max(first + 1, (part + 1) * moments.count / count)
            return Double(moments[first..<end].max() ?? 0) / 255
        }
    }

    /// Bytes of memory.
    public var size: Int { moments.count }

    private static func step(_ loudness: Float) -> UInt8 { UInt8(clamping: Double(min(1, loudness) * 255).rounded()) }
}
