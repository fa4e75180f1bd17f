// SPDX-License-Identifier: Apache-2.0

internal import Audio

extension EffectSettings {
    /// Throws `out-of-range` with the member of a number outside its range.
    public func check() throws(PlaybackError) {
        try Self.check(equalizer.preamp, equalizer.bands, below: "equalizer.")
        for (value, range, member) in [
            (loudness.preamp, -24...24, "loudness.preamp"),
            (loudness.untaggedPreamp, -24...24, "loudness.untaggedPreamp"),
            (limiter.ceiling, -24...0, "limiter.ceiling"), (crossfeed.level, 1...15, "crossfeed.level"),
            (width, 0...2, "width"), (delay, DelayLine.range, "delay"), (reverb.mix, 0...1, "reverb.mix"),
            (reverb.decay, 0.1...5, "reverb.decay"),
        ] {
            try PlaybackError.check(value, range, member)
        }
    }

    fileprivate static func check(
        _ preamp: Double, _ bands: [Band], below path: String
    ) throws(PlaybackError) {
        try PlaybackError.check(preamp, -24...24, path + "preamp")
        guard bands.count <= Equalizer.bandLimit else {
            throw PlaybackError(
                .outOfRange, "\(path)bands has \(bands.count) bands; there are at most \(Equalizer.bandLimit).",
                member: path + "bands")
        }
        for (index, band) in bands.enumerated() {
            let member = "\(path)bands[\(index)]."
            try PlaybackError.check(band.frequency, 10...24_000, member + "frequency")
            try PlaybackError.check(band.gain, -24...24, member + "gain")
            try PlaybackError.check(band.q, 0.1...30, member + "q")
        }
    }

}

extension EffectPreset {
    public func check() throws(PlaybackError) {
        try EffectSettings.check(preamp, bands, below: "")
    }
}

extension PlaybackError {
    /// Throws `out-of-range` for a number outside its range, and for NaN.
    static func check(_ value: Double, _ range: ClosedRange<Double>, _ member: String) throws(PlaybackError) {
        guard !range.contains(value) else { return }
        throw PlaybackError(
            .outOfRange, "\(member) must be from \(range.lowerBound) to \(range.upperBound).", member: member)
    }
}
