// SPDX-License-Identifier: Apache-2.0

import Audio
import PlaybackTesting

@testable import Playback

/// A ring of noise, a renderer with effects, and the sound that a sink would have.
final class RenderedSide {
    let ring: FrameRing
    private(set) var renderer: StreamRenderer
    private(set) var stage: EffectStage?
    private var lease: FrameRing.Lease
    private let level: Float
    /// All samples that were written, by ring index.
    private(set) var source: [Float] = []
    /// All rendered samples, by stream index; samples that are taken back are overwritten.
    private(set) var heard: [Float] = []
    private var noise = Signal(seed: 7)

    init(
        _ effects: EffectSettings = .off, sampleRate: Int = 8_000, capacity: Int = 6_000, retained: Int = 6_000,
        level: Float = 0.9
    ) {
        ring = FrameRing(
            format: AudioFormat(sampleRate: sampleRate, layout: .stereo), capacity: capacity, retained: retained)
        renderer = StreamRenderer(ring: ring)
        lease = ring.grant().lease
        self.level = level
        set(effects)
    }

    var position: Int { heard.count / 2 }

    func set(_ effects: EffectSettings) {
        let changed = EffectStage.changed(stage, to: effects, ring: ring)
        renderer.use(changed)
        stage = changed
    }

    /// Writes noise; `loudness` starts a new track.
    func write(_ frames: Int, _ loudness: TrackLoudness? = nil) {
        if let loudness { lease = ring.grant(loudness, isInAlbum: false).lease }
        let samples = (0..<2 * frames).map { _ in noise.noise() * level }
        source += samples
        _ = samples.withUnsafeBufferPointer { ring.write($0, lease: lease) }
    }

    /// Renders in portions of at most `portion` frames and returns the number of frames.
    @discardableResult
    func render(_ frames: Int, portion: () -> Int = { 4_096 }) -> Int {
        var left = frames
        while left > 0 {
            var buffer = [Float](repeating: .nan, count: 2 * max(1, min(left, portion())))
            let count = renderer.produce(into: &buffer, frames: buffer.count / 2)
            if count == 0 { break }
            heard += buffer[..<(2 * count)]
            left -= count
        }
        return frames - left
    }

    func stepBack(_ frames: Int) {
        renderer.rewind(to: renderer.cursor - FrameCount(frames))
        heard.removeLast(heard.count - 2 * Int(renderer.cursor))
    }

    func rewindPadded(to index: Int) {
        renderer.rewindPadded(to: FrameCount(index))
        heard.removeLast(heard.count - 2 * Int(renderer.cursor))
    }

    func fadeOut(limit: FrameCount) {
        renderer.fadeOut(from: renderer.cursor, limit: limit)
        render(1_000)
    }

    /// Drops the unread frames; the next ones belong to another place.
    func flush() {
        let index = ring.cut()
        lease = ring.grant().lease
        renderer.skip(to: index)
        renderer.beginSegment(at: renderer.cursor, fadingIn: 0)
    }
}

extension EffectSettings {
    /// Effects that are on, with these settings.
    static func on(_ set: (inout EffectSettings) -> Void = { _ in }) -> EffectSettings {
        var settings = EffectSettings()
        settings.isEnabled = true
        set(&settings)
        return settings
    }

    /// Random settings, sometimes off.
    static func random(_ signal: inout Signal) -> EffectSettings {
        func below(_ limit: Int) -> Int { Int(signal.value(0...Double(limit) - 0.001)) }
        var settings = EffectSettings()
        settings.isEnabled = below(4) != 0
        settings.equalizer.isEnabled = below(2) == 0
        for _ in 0..<below(5) {
            let shape: BiquadCoefficients.Shape = [.peak, .lowShelf, .highPass][below(3)]
            settings.equalizer.bands.append(
                EffectSettings.Band(
                    shape, frequency: signal.value(50...3_000), gain: signal.value(-12...12), q: signal.value(0.3...3)))
        }
        settings.limiter.isEnabled = below(3) == 0
        settings.limiter.ceiling = signal.value(-12...0)
        settings.compressor.isEnabled = below(3) == 0
        settings.crossfeed.isEnabled = below(4) == 0
        settings.delay = below(3) == 0 ? signal.value(0...200) : 0
        settings.reverb.isEnabled = below(4) == 0
        settings.reverb.mix = signal.value(0...1)
        settings.loudness.mode = below(3) == 0 ? .track : .off
        settings.loudness.untaggedPreamp = signal.value(-10...10)
        return settings
    }

    static func equalized(gain: Double = 12) -> EffectSettings {
        .on {
            $0.equalizer.isEnabled = true
            $0.equalizer.bands = [EffectSettings.Band(.peak, frequency: 1_000, gain: gain, q: 1)]
        }
    }
}
