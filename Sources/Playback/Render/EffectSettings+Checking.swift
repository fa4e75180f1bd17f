// SPDX-License-Identifier: Apache-2.0

internal import Audio

extension EffectSettings {
    /// Every number lies in its range. `out-of-range` with the member otherwise.
    public func check() throws(PlaybackError) {
        try Self.check(loudness.preamp, -24...24, "loudness.preamp")
        try Self.check(loudness.untaggedPreamp, -24...24, "loudness.untaggedPreamp")
        try Self.check(equalizer.preamp, equalizer.bands, below: "equalizer.")
        try Self.check(limiter.ceiling, -24...0, "limiter.ceiling")
        try Self.check(crossfeed.level, 1...15, "crossfeed.level")
        try Self.check(width, 0...2, "width")
        try Self.check(delay, DelayLine.range, "delay")
        try Self.check(reverb.mix, 0...1, "reverb.mix")
        try Self.check(reverb.decay, 0.1...5, "reverb.decay")
    }

    fileprivate static func check(
        _ preamp: Double, _ bands: [Band], below path: String
    ) throws(PlaybackError) {
        try check(preamp, -24...24, path + "preamp")
        guard bands.count <= Equalizer.bandLimit else {
            throw PlaybackError(
                .outOfRange, "\(path)bands has \(bands.count) bands; there are at most \(Equalizer.bandLimit).",
                member: path + "bands")
        }
        for (index, band) in bands.enumerated() {
            let member = "\(path)bands[\(index)]."
            try check(band.frequency, 10...24_000, member + "frequency")
            try check(band.gain, -24...24, member + "gain")
            try check(band.q, 0.1...30, member + "q")
        }
    }

    /// False for NaN.
    private static func check(
        _ value: Double, _ range: ClosedRange<Double>, _ member: String
    ) throws(PlaybackError) {
        guard !range.contains(value) else { return }
        throw PlaybackError(
            .outOfRange, "\(member) must be from \(range.lowerBound) to \(range.upperBound).", member: member)
    }
}

extension EffectPreset {
    public func check() throws(PlaybackError) {
        try EffectSettings.check(preamp, bands, below: "")
    }
}
