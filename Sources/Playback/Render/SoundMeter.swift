// SPDX-License-Identifier: Apache-2.0

public import Audio
public import Kernel

/// Measures the sound of a player up to the audible frame. Not thread-safe.
public struct SoundMeter {
    /// Seconds; a shorter window would follow the waveform of a low tone.
    private static let shortestWindow = 0.05

    /// For the player's output.
    public let tap = SoundTap()
    private var ring: TapRing?
    private var levels: LevelHistory?
    private var spectrum: SpectrumAnalyzer?
    private var buffer: [Float] = []
    /// The next frame to measure.
    private var next: FrameCount?
    private var heard: FrameCount = 0

    public init() {}

    /// Measures up to the frame that is audible at `now` according to `clock`.
    /// - Returns: seconds of sound from the last frame that was measured to the one that is heard; nil when nothing is there yet.
    public mutating func advance(_ clock: OutputClock, now: MonotonicTime) -> Double? {
        guard let ring = tap.ring else { return nil }
        if ring !== self.ring { begin(ring) }
        let format = ring.format
        let elapsed = clock.isAdvancing ? format.frames(now.seconds(since: clock.sampledAt)) : 0
        heard = clock.ringIndex + max(0, elapsed)
        measure(ring)
        guard let next, heard - next < format.frames(0.25) else { return nil }
        return max(0, format.seconds(heard - next))
    }

    private mutating func begin(_ ring: TapRing) {
        self.ring = ring
        levels = LevelHistory(format: ring.format)
        spectrum = nil
        next = nil
    }

    private mutating func measure(_ ring: TapRing) {
        guard let levels else { return }
        // Sound before the first listener is not measured.
        let range = ring.available(
            (next ?? heard - ring.format.frames(Self.shortestWindow))..<max(heard, next ?? heard))
        var index = range.lowerBound
        guard !range.isEmpty else { return }
        buffer.reserve(levels.block * ring.format.channelCount)
        while index + FrameCount(levels.block) <= range.upperBound {
            let end = index + FrameCount(levels.block)
            let isWhole = buffer.withUnsafeMutableBufferPointer { buffer in
                guard let samples = buffer.baseAddress, ring.copy(index..<end, into: samples) else { return false }
                levels.add(samples)
                return true
            }
            guard isWhole else { break }
            index = end
        }
        // There is no level before the first block.
        if index > range.lowerBound { next = index }
    }

    /// The levels of the last `seconds` that were measured; at least 50 ms.
    public func channels(ofLast seconds: Double) -> [LevelHistory.Channel] {
        levels?.levels(ofLast: max(seconds, Self.shortestWindow)) ?? []
    }

    public var shortTermLoudness: Double { levels?.shortTermLoudness ?? LevelHistory.silence }

    /// The levels of `count` bands in dB around the audible frame; nil if it was rendered again meanwhile.
    public mutating func spectrum(bands count: Int) -> [Double]? {
        guard let ring else { return nil }
        var analyzer = spectrum.take() ?? SpectrumAnalyzer(format: ring.format)
        defer { spectrum = analyzer }
        let size = FrameCount(analyzer.size)
        let rendered = ring.available(heard - size..<heard + size / 2)
        buffer.reserve(analyzer.size * ring.format.channelCount)
        return buffer.withUnsafeMutableBufferPointer { buffer in
            guard let samples = buffer.baseAddress else { return nil }
            // Missing frames at the start of a run count as silence.
            samples.update(repeating: 0, count: analyzer.size * ring.format.channelCount)
            let first = max(rendered.lowerBound, rendered.upperBound - size)
            let skipped = Int(size - (rendered.upperBound - first)) * ring.format.channelCount
            guard ring.copy(first..<rendered.upperBound, into: samples + skipped) else { return nil }
            return analyzer.bands(count, of: samples)
        }
    }
}

extension [Float] {
    fileprivate mutating func reserve(_ count: Int) {
        if self.count < count { self = Array(repeating: 0, count: count) }
    }
}
