// SPDX-License-Identifier: Apache-2.0

public import Audio
internal import CEbur128
internal import Glibc
public import Kernel
public import Media

/// Loudness by libebur128, which is loaded for the first measurement.
public struct EBUR128Measuring: LoudnessMeasuring {
    private static let library = Result { () throws(MissingLibrary) in try LoadedLibrary(cebur128(), cebur128_load) }

    public init() {}

    public func measurement(of format: AudioFormat) throws(MissingLibrary) -> (any LoudnessMeasurement)? {
        EBUR128Measurement(try Self.library.get(), format)
    }
}

private final class EBUR128Measurement: LoudnessMeasurement {
    /// EBUR128_MODE_I, EBUR128_MODE_SAMPLE_PEAK, and EBUR128_MODE_HISTOGRAM, which bounds its memory.
    private static let mode: Int32 = 0x05 | 0x11 | 0x40

    private let library: LoadedLibrary<cebur128>
    private let state: UnsafeMutableRawPointer
    private let channels: Int
    /// Frames in 100 ms, rounded as in libebur128. From the fourth step on, each step ends a gating block.
    private let step: Int
    /// Frames until the current step ends.
    private var missing: Int
    private var steps = 0
    private var blocks = GatingBlocks()

    init?(_ library: LoadedLibrary<cebur128>, _ format: AudioFormat) {
        let functions = library.functions
        guard
            let state = functions.pointee.`init`(UInt32(format.channelCount), UInt(format.sampleRate), Self.mode)
        else { return nil }
        self.library = library
        self.state = state
        channels = format.channelCount
        step = max(1, (format.sampleRate + 5) / 10)
        missing = step
        for (channel, position) in format.layout.positions.enumerated() {
            _ = functions.pointee.set_channel(state, UInt32(channel), Self.weight(of: position))
        }
    }

    deinit {
        var state: UnsafeMutableRawPointer? = state
        library.functions.pointee.destroy(&state)
    }

    /// `enum channel` of ebur128.h.
    private static func weight(of position: ChannelPosition) -> Int32 {
        switch position {
        case .lowFrequency: 0
        case .mono, .frontLeft, .auxiliary: 1
        case .frontRight: 2
        case .frontCenter: 3
        case .rearLeft, .sideLeft: 4
        case .rearRight, .sideRight, .rearCenter: 5
        }
    }

    func add(_ samples: UnsafeBufferPointer<Float>) {
        guard var next = samples.baseAddress else { return }
        var left = samples.count / channels
        while left > 0 {
            let count = min(left, missing)
            _ = library.functions.pointee.add_frames_float(state, next, count)
            next += count * channels
            left -= count
            missing -= count
            if missing == 0 { endStep() }
        }
    }

    private func endStep() {
        missing = step
        steps += 1
        var loudness = 0.0
        guard steps >= 4, library.functions.pointee.loudness_momentary(state, &loudness) == 0 else { return }
        blocks.add(loudness)
    }

    var result: MediaLoudness? {
        var loudness = 0.0
        guard library.functions.pointee.loudness_global(state, &loudness) == 0, loudness.isFinite else { return nil }
        var highest = 0.0
        for channel in 0..<UInt32(channels) {
            var peak = 0.0
            guard library.functions.pointee.sample_peak(state, channel, &peak) == 0 else { return nil }
            highest = max(highest, peak)
        }
        return MediaLoudness(loudness: loudness, peak: highest, gatedSeconds: Double(blocks.gated) / 10)
    }
}

/// Histogram of gating blocks by loudness (BS.1770-4). libebur128 has such a histogram but does not expose it.
struct GatingBlocks {
    /// LUFS of the absolute gate, and LU of the relative one.
    private static let floor = -70.0
    private static let gate = 10.0
    /// Bins of 0.1 LU, as in libebur128.
    private var counts = [Int](repeating: 0, count: 1_000)

    /// `loudness` in LUFS; -infinity for silence.
    mutating func add(_ loudness: Double) {
        guard loudness >= Self.floor else { return }
        counts[min(counts.count - 1, Int(clamping: (loudness - Self.floor) * 10))] += 1
    }

    /// Blocks above both gates.
    var gated: Int {
        let all = counts.reduce(0, +)
        guard all > 0 else { return 0 }
        let energy = counts.indices.reduce(0) { $0 + Double(counts[$1]) * pow(10, Self.loudness(ofBin: $1) / 10) }
        let threshold = 10 * log10(energy / Double(all)) - Self.gate
        return counts.indices.reduce(0) { $0 + (Self.loudness(ofBin: $1) >= threshold ? counts[$1] : 0) }
    }

    private static func loudness(ofBin bin: Int) -> Double { floor + (Double(bin) + 0.5) / 10 }
}
