// SPDX-License-Identifier: Apache-2.0

public import Audio
internal import Glibc

/// The user's effect settings: gains in dB, frequencies in Hz. Kept by an output across streams, like gains.
///
/// The state file stores it as JSON with these names: a member that is added later must be optional.
public struct EffectSettings: Codable, Hashable, Sendable {
    /// If false, the settings below have no effect, and the sound equals the decoded media bit by bit.
    public var isEnabled = false
    public var loudness = Loudness()
    public var equalizer = Equalization()
    public var compressor = Compression()
    public var limiter = Limiting()
    public var crossfeed = Crossfeeding()
    /// The width of the stereo image: 0 (mono) ... 2.
    public var width = 1.0
    public var mono = false
    // Absent in the state of earlier versions.
    private var storedDelay: Double?
    private var storedReverb: Reverberation?

    public init() {}

    /// Delay of the sound in ms, to match a delayed picture.
    public var delay: Double {
        get { storedDelay ?? 0 }
        set { storedDelay = newValue == 0 ? nil : newValue }
    }

    public var reverb: Reverberation {
        get { storedReverb ?? Reverberation() }
        set { storedReverb = newValue == Reverberation() ? nil : newValue }
    }

    public static let off = EffectSettings()

    /// Adjusts tracks to the same loudness, by their tags or measurements.
    public struct Loudness: Codable, Hashable, Sendable {
        public enum Mode: String, Codable, CaseIterable, SettingConvertible {
            case off, track, album
            /// `album` if tracks play in the order of their album, else `track`.
            case auto
        }

        public var mode = Mode.off
        /// Added to the gain of a track.
        public var preamp = 0.0
        /// The gain of tracks of unknown loudness.
        public var untaggedPreamp = 0.0
        /// Limits the gain so that the track's peak does not clip.
        public var preventsClipping = true

        public init() {}
    }

    public struct Equalization: Codable, Hashable, Sendable {
        public var isEnabled = false
        /// The preset of the bands; nil after a change by hand.
        public var preset: String?
        public var preamp = 0.0
        /// At most `Equalizer.bandLimit`.
        public var bands: [Band] = []
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
            /// Strong, for listening at night.
            case night
            case light
            case speech
        }

        public var isEnabled = false
        public var preset = Preset.night
    }

    /// Other effects never exceed full scale anyway. If enabled, the limiter keeps all sound below its ceiling.
    public struct Limiting: Codable, Hashable, Sendable {
        public var isEnabled = false
        /// dB true peak.
        public var ceiling = -1.0
    }

    public struct Reverberation: Codable, Hashable, Sendable {
        public var isEnabled = false
        /// The share of reverberation in the sound, 0...1.
        public var mix = 0.25
        /// Seconds to -60 dB.
        public var decay = 1.5
    }

    public struct Crossfeeding: Codable, Hashable, Sendable {
        public var isEnabled = false
        /// The dB by which a channel's low frequencies are louder on their own side: 1 (strong crossfeed) ... 15.
        public var level = 4.5
    }

    /// Seconds of effect tail after the last frame.
    var tail: Double {
        guard isEnabled else { return 0 }
        return delay / 1_000 + (reverb.isEnabled && reverb.mix > 0 ? reverb.decay : 0)
    }

    /// The settings for sounds besides the music, such as announcements: without loudness, compressor and reverb, which
    /// belong to the music, and without the delay, which belongs to a picture.
    public var ofRoom: EffectSettings {
        var room = self
        (room.loudness, room.compressor, room.reverb) = (Loudness(), Compression(), Reverberation())
        room.delay = 0
        return room
    }
}

extension EffectSettings.Loudness {
    /// The gain factor for a track; 1 if off. `inAlbum`: it plays next to a neighbour of its album.
    public func factor(for track: TrackLoudness?, inAlbum: Bool) -> Float {
        if mode == .off { return 1 }
        let prefersAlbum = mode == .album || mode == .auto && inAlbum
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
