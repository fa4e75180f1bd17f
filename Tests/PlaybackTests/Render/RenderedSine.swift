// SPDX-License-Identifier: Apache-2.0

import Audio
import Glibc
import Testing

@testable import Playback

/// A ring with a sine, a quarter of a period apart on both channels, and a renderer with effects on it.
final class RenderedSine {
    static let format = AudioFormat(sampleRate: 48_000, layout: .stereo)
    /// Of a frame.
    static let step = 2 * Double.pi * 1_000 / 48_000
    static let level = 0.4
    /// Frames that wait, as at a sink.
    private static let ahead = 1_024

    let ring = FrameRing(format: format, capacity: 32_768, retained: 16_384)
    private(set) var renderer: StreamRenderer
    private(set) var stage: EffectStage?
    private var lease: FrameRing.Lease
    private var buffer = [Float](repeating: 0, count: 8_192)

    init(_ effects: EffectSettings) {
        renderer = StreamRenderer(ring: ring, ramp: StreamGainRamp(.unity))
        lease = ring.grant().lease
        set(effects)
    }

    func set(_ effects: EffectSettings) {
        stage = EffectStage.changed(stage, to: effects, ring: ring)
        renderer.use(stage)
    }

    func use(_ tap: TapRing) { renderer.use(tap) }

    /// Writes until so many frames can be rendered.
    func provide(_ frames: Int) {
        let missing = frames + Self.ahead - ring.unread
        guard missing > 0 else { return }
        let first = Int(ring.writeIndex)
        let samples = (first..<first + missing).flatMap { frame in
            let phase = Self.step * Double(frame)
            return [Float(Self.level * cos(phase)), Float(Self.level * sin(phase))]
        }
        _ = samples.withUnsafeBufferPointer { ring.write($0, lease: lease) }
    }

    /// What the sink asks for. Nothing else happens here.
    func produce(_ frames: Int) -> Int {
        buffer.withUnsafeMutableBufferPointer { buffer in
            buffer.baseAddress.map { renderer.produce(into: $0, frames: frames) } ?? 0
        }
    }

    func render(_ frames: Int) -> [Float] {
        provide(frames)
        let count = produce(frames)
        return Array(buffer[..<(2 * count)])
    }

    /// Renders the last frames once more.
    func stepBack(_ frames: Int) { renderer.rewind(to: renderer.cursor - FrameCount(frames)) }

    func move(to gains: ChannelGains) {
        renderer.ramp = StreamGainRamp(
            from: renderer.ramp.gains(at: renderer.cursor), to: gains, start: renderer.cursor, length: 480)
    }

    func pauseAndGoOn() {
        renderer.fadeOut(from: renderer.cursor, limit: .max, over: 200)
        _ = produce(100)
        if !renderer.fadeIn(from: renderer.cursor, over: 200) {
            renderer.beginSegment(at: renderer.cursor, fadingIn: true)
        }
    }

    /// What is unread is left out, as for a seek.
    func seek() {
        renderer.fadeOut(from: renderer.cursor, limit: ring.writeIndex)
        _ = produce(480)
        renderer.skip(to: ring.writeIndex)
        renderer.beginSegment(at: renderer.cursor, fadingIn: true)
    }
}

/// An effect with two settings, between which it can be changed.
struct ChangedEffect: CustomTestStringConvertible, Sendable {
    let testDescription: String
    private let change: @Sendable (inout EffectSettings, Bool) -> Void

    private init(_ name: String, _ change: @escaping @Sendable (inout EffectSettings, Bool) -> Void) {
        (testDescription, self.change) = (name, change)
    }

    func settings(_ isOther: Bool) -> EffectSettings {
        var settings = EffectSettings()
        settings.isEnabled = true
        change(&settings, isOther)
        return settings
    }

    /// All effects at once.
    static func all(_ isOther: Bool) -> EffectSettings {
        var settings = EffectSettings()
        settings.isEnabled = true
        for effect in each { effect.change(&settings, isOther) }
        return settings
    }

    static let each = [
        ChangedEffect("bands") { settings, isOther in
            settings.equalizer.isEnabled = true
            settings.equalizer.bands = [63, 125, 250, 500, 1_000, 2_000, 4_000, 8_000, 12_000, 16_000].map {
                EffectSettings.Band(.peak, frequency: $0, gain: isOther ? 3 : -6, q: 1.4)
            }
        },
        ChangedEffect("equalizer's preamp") { settings, isOther in
            settings.equalizer.isEnabled = true
            settings.equalizer.preamp = isOther ? -9 : 0
        },
        ChangedEffect("compressor") { settings, isOther in settings.compressor.isEnabled = isOther },
        ChangedEffect("limiter") { settings, isOther in
            settings.limiter.isEnabled = true
            settings.limiter.ceiling = isOther ? -20 : 0
        },
        ChangedEffect("crossfeed") { settings, isOther in
            settings.crossfeed.isEnabled = true
            settings.crossfeed.level = isOther ? 1 : 15
        },
        ChangedEffect("width") { settings, isOther in settings.width = isOther ? 1.5 : 0.5 },
        ChangedEffect("mono") { settings, isOther in settings.mono = isOther },
        ChangedEffect("loudness") { settings, isOther in
            settings.loudness.mode = .track
            settings.loudness.untaggedPreamp = isOther ? -9 : 0
        },
        ChangedEffect("delay") { settings, isOther in settings.delay = isOther ? 10.3 : 0 },
        ChangedEffect("reverb") { settings, isOther in
            settings.reverb.isEnabled = true
            settings.reverb.mix = isOther ? 0.7 : 0.1
        },
    ]
}
