// SPDX-License-Identifier: Apache-2.0

public import Audio
internal import Glibc

/// The user's settings of the effects: gains in dB, frequencies in Hz. Sticky at an output, as gains are.
///
/// The state file has it as JSON by these names: a member that is added later must be optional there.
public struct EffectSettings: Codable, Hashable, Sendable {
    /// Off: nothing of what follows is heard, and what is heard equals the decode, to the bit.
    public var isEnabled = false
    public var loudness = Loudness()
    public var equalizer = Equalization()
    public var compressor = Compression()
    public var limiter = Limiting()
    public var crossfeed = Crossfeeding()
    /// Of the stereo image: 0 (mono) ... 2.
    public var width = 1.0
    public var mono = false
    // Absent in the state of earlier versions.
    private var storedDelay: Double?
    private var storedReverb: Reverberation?

    public init() {}

    /// ms by which all that is heard comes later: for a picture that does.
    public var delay: Double {
        get { storedDelay ?? 0 }
        set { storedDelay = newValue == 0 ? nil : newValue }
    }

    public var reverb: Reverberation {
        get { storedReverb ?? Reverberation() }
        set { storedReverb = newValue == Reverberation() ? nil : newValue }
    }

    public static let off = EffectSettings()

    /// Brings tracks to one loudness by what was measured of them.
    public struct Loudness: Codable, Hashable, Sendable {
        public enum Mode: String, Codable, CaseIterable, SettingConvertible {
            case off, track, album
            /// Album where tracks follow each other as on their album, else track.
            case auto
        }

        public var mode = Mode.off
        /// Added to what a track's measure asks for.
        public var preamp = 0.0
        /// For tracks of which nothing is known.
        public var untaggedPreamp = 0.0
        /// Never more than the track's peak allows.
        public var preventsClipping = true

        public init() {}
    }

    public struct Equalization: Codable, Hashable, Sendable {
        public var isEnabled = false
        /// Where the bands came from; nil once they were changed by hand.
        public var preset: String?
        public var preamp = 0.0
        /// At most `Equalizer.bandLimit`.
        public var bands: [Band] = []

        public init() {}
    }

    public struct Band: Codable, Hashable, Sendable {
        public var shape: BiquadCoefficients.Shape
        public var frequency: Double
        public var gain: Double
        public var q: Double

        public init(_ shape: BiquadCoefficients.Shape, frequency: Double, gain: Double = 0, q: Double) {
            self.shape = shape
            self.frequency = frequency
            self.gain = gain
            self.q = q
        }
    }

    public struct Compression: Codable, Hashable, Sendable {
        public enum Preset: String, Codable, CaseIterable, SettingConvertible {
            /// Much: for listening at night.
            case night
            case light
            case speech
        }

        public var isEnabled = false
        public var preset = Preset.night

        public init() {}
    }

    /// Whatever else is on never exceeds full scale. Enabled, the limiter keeps all that is heard under its ceiling.
    public struct Limiting: Codable, Hashable, Sendable {
        public var isEnabled = false
        /// dB true peak.
        public var ceiling = -1.0

        public init() {}
    }

    public struct Reverberation: Codable, Hashable, Sendable {
        public var isEnabled = false
        /// The part of the reverberation in what is heard, 0...1.
        public var mix = 0.25
        /// Seconds to -60 dB.
        public var decay = 1.5

        public init() {}
    }

    public struct Crossfeeding: Codable, Hashable, Sendable {
        public var isEnabled = false
        /// By how many dB a channel's low frequencies are louder on their own side: 1 (much crossfeed) ... 15.
        public var level = 4.5

        public init() {}
    }
}

extension EffectSettings {
    /// Seconds in which something is still heard behind the last frame.
    var tail: Double {
        guard isEnabled else { return 0 }
        return delay / 1_000 + (reverb.isEnabled && reverb.mix > 0 ? reverb.decay : 0)
    }
}

extension EffectSettings {
    /// The part that belongs to the room, for sounds beside the music. Loudness, compressor and reverb are of the music, the
    /// delay of a picture.
    public var ofRoom: EffectSettings {
        var room = self
        (room.loudness, room.compressor, room.reverb) = (Loudness(), Compression(), Reverberation())
        room.delay = 0
        return room
    }
}

extension EffectSettings.Loudness {
    /// The factor for a track; 1 when off. `inAlbum`: it is heard next to a neighbour of its album.
    public func factor(for track: TrackLoudness?, inAlbum: Bool) -> Float {
        let prefersAlbum: Bool
        switch mode {
        case .off: return 1
        case .track: prefersAlbum = false
        case .album: prefersAlbum = true
        case .auto: prefersAlbum = inAlbum
        }
        let ofTrack = (gain: track?.trackGain, peak: track?.trackPeak)
        let ofAlbum = (gain: track?.albumGain, peak: track?.albumPeak)
        let (first, second) = prefersAlbum ? (ofAlbum, ofTrack) : (ofTrack, ofAlbum)
        let known = first.gain == nil ? second : first
        let decibels = min(max(known.gain.map { $0 + preamp } ?? untaggedPreamp, -60), 30)
        var factor = pow(10, decibels / 20)
        if preventsClipping, let peak = known.peak ?? second.peak, peak > 0 { factor = min(factor, 1 / peak) }
        return Float(factor)
    }
}
