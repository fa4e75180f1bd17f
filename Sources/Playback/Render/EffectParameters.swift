// SPDX-License-Identifier: Apache-2.0

internal import Audio
internal import Glibc

/// The settings for one format: filters with their coefficients, at rest. A trivial type, so that it can be passed to the
/// render thread. Created where commands are handled; ten bands take less than a microsecond.
struct EffectParameters: BitwiseCopyable, Sendable {
    /// Identifies a set of parameters; 0 is the neutral one.
    let number: UInt64
    let filters: EffectFilters
    /// Linear; infinite: no limit.
    let ceiling: Float
    let limiter: LookAheadLimiter
    let channels: Int
    /// Some bands need a longer crossfade.
    let isExtreme: Bool
    let sampleRate: Int
    let reverb: Reverb.Parameters
    /// Frames
    let delay: FrameCount

    /// The parameters change nothing.
    var isNeutral: Bool {
        @_noLocks @_noAllocation get { filters.isNeutral && ceiling == .infinity && reverb.mix == 0 && delay == 0 }
    }

    init(_ settings: EffectSettings, format: AudioFormat, number: UInt64) {
        let settings = settings.isEnabled ? settings : .off
        self.number = number
        channels = format.channelCount
        sampleRate = format.sampleRate
        var equalizer = Equalizer()
        if settings.equalizer.isEnabled {
            for band in settings.equalizer.bands {
                equalizer.append(
                    BiquadCoefficients(
                        band.shape, frequency: band.frequency, gain: band.gain, q: band.q,
                        sampleRate: Double(format.sampleRate)))
            }
            if settings.equalizer.preamp != 0 { equalizer.amplify(by: pow(10, settings.equalizer.preamp / 20)) }
        }
        isExtreme =
            settings.equalizer.isEnabled
            && (abs(settings.equalizer.preamp) > 12 || settings.equalizer.bands.contains(where: \.isExtreme))
        filters = EffectFilters(
            equalizer: equalizer,
            image: StereoImage(
                format: format, width: settings.mono ? 0 : settings.width,
                crossfeed: settings.crossfeed.isEnabled && !settings.mono ? settings.crossfeed.level : nil),
            compressor: Compressor(
                settings.compressor.isEnabled ? settings.compressor.preset.curve : nil,
                sampleRate: format.sampleRate, quantum: EffectChain.quantum))
        delay = format.frames(settings.delay / 1_000)
        reverb =
            settings.reverb.isEnabled
            ? Reverb.Parameters(mix: Float(settings.reverb.mix), decay: settings.reverb.decay) : .off
        ceiling =
            settings.limiter.isEnabled
            ? Float(pow(10, settings.limiter.ceiling / 20)) : filters.isNeutral && reverb.mix == 0 ? .infinity : 1
        limiter = LookAheadLimiter(format: format, ceiling: ceiling)
    }
}

/// The filters that a parameter change replaces together, with a crossfade.
struct EffectFilters: BitwiseCopyable, Sendable {
    var equalizer: Equalizer
    var image: StereoImage
    var compressor: Compressor

    var isNeutral: Bool {
        @_noLocks @_noAllocation get { equalizer.isNeutral && image.isNeutral && compressor.isNeutral }
    }

    @_noLocks @_noAllocation
    mutating func process(_ samples: UnsafeMutablePointer<Float>, frames: Int, channels: Int) {
        equalizer.process(samples, frames: frames, channels: channels)
        image.process(samples, frames: frames, channels: channels)
        compressor.process(samples, frames: frames, channels: channels)
    }
}

extension EffectSettings.Band {
    /// The phase or level changes so much that a crossfade of 40 ms leaves a step above -60 dB.
    fileprivate var isExtreme: Bool {
        switch shape {
        case .peak: abs(gain) > 12 || q > 10
        case .lowShelf, .highShelf: abs(gain) > 12 || q > 0.8
        case .lowPass, .highPass, .notch: true
        }
    }
}

extension EffectSettings.Compression.Preset {
    var curve: Compressor.Curve {
        switch self {
        case .night:
            Compressor.Curve(threshold: -36, ratio: 3, knee: 12, makeUp: 12, attack: 0.015, release: 0.3)
        case .light:
            Compressor.Curve(threshold: -24, ratio: 2, knee: 10, makeUp: 3, attack: 0.02, release: 0.25)
        case .speech:
            Compressor.Curve(threshold: -30, ratio: 3, knee: 8, makeUp: 8, attack: 0.005, release: 0.15)
        }
    }
}
