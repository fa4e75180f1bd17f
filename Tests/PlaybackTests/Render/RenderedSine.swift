// SPDX-License-Identifier: Apache-2.0

import Audio
import Glibc
import Testing

@testable import Playback

/// A ring with a sine, shifted by a quarter of a period between both channels, and a renderer with effects.
final class RenderedSine {
    static let format = AudioFormat(sampleRate: 48_000, layout: .stereo)
    /// Radians per frame.
    static let step = 2 * Double.pi * 1_000 / 48_000
    /// Two semitones higher.
    static let otherStep = step * 1.122_462
    static let level = 0.4
    /// Frames that wait at a sink.
    private static let ahead = 1_024

    let ring = FrameRing(format: format, capacity: 32_768, retained: 16_384)
    private(set) var renderer: StreamRenderer
    private(set) var stage: EffectStage?
    private var tap: TapRing?
    private var lease: FrameRing.Lease
    private var buffer = [Float](repeating: 0, count: 8_192)
    /// The sine's radians per ring frame, and its phase at frame 0.
    private var (step, phase) = (RenderedSine.step, 0.0)

    init(_ effects: EffectSettings) {
        renderer = StreamRenderer(ring: ring)
        lease = ring.grant().lease
        set(effects)
    }

    func set(_ effects: EffectSettings) {
        stage = EffectStage.changed(stage, to: effects, ring: ring)
        renderer.use(stage)
    }

    func use(_ tap: TapRing?) {
        renderer.use(tap)
        self.tap = tap
    }

    /// Writes until this many frames can be rendered.
    func provide(_ frames: Int) {
        let missing = frames + Self.ahead - ring.unread
        guard missing > 0 else { return }
        let first = Int(ring.writeIndex)
        _ = sine(first..<first + missing).withUnsafeBufferPointer { ring.write($0, lease: lease) }
    }

    private func sine(_ frames: Range<Int>) -> [Float] {
        frames.flatMap { frame in
            let phase = step * Double(frame) + phase
            return [Float(Self.level * cos(phase)), Float(Self.level * sin(phase))]
        }
    }

    /// Crossfades the unread frames into another sine, like a change of tempo.
    func splice(_ step: Double, phase: Double) {
        let index = ring.readIndex + 200
        provide(2_048)
        (self.step, self.phase) = (step, phase)
        lease = ring.grant().lease
        var splicing = RingSplicing(
            RingSplicing.Start(index: index, pace: 1), lead: 480, Self.format,
            offer: { [unowned self] in renderer.splice($0, from: renderer.cursor) },
            begun: { [unowned self] in self.phase = phase + step * Double($0.frame - $0.index) })
        sine(Int(index) - 480..<Int(index) + 9_000).withUnsafeBufferPointer { splicing.append($0) }
        let rest = splicing.splice(into: ring, lease) { $0.answer(by: .now) }
        #expect(rest != nil)
    }

    /// Only renders, like the callback of a sink.
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

    /// Takes back the last frames, to render them again.
    func stepBack(_ frames: Int) { renderer.rewind(to: renderer.cursor - FrameCount(frames)) }

    func set(_ change: GainChange) { renderer.gains.apply(change, from: renderer.cursor, isSilent: false) }

    func pauseAndGoOn() {
        renderer.fadeOut(from: renderer.cursor, limit: .max, over: 200)
        _ = produce(100)
        if !renderer.fadeIn(from: renderer.cursor, over: 200) {
            renderer.beginSegment(at: renderer.cursor, fadingIn: renderer.fadeFrames)
        }
    }

    /// Skips the unread frames, like a seek.
    func seek() {
        renderer.fadeOut(from: renderer.cursor, limit: ring.writeIndex)
        _ = produce(480)
        renderer.skip(to: ring.writeIndex)
        renderer.beginSegment(at: renderer.cursor, fadingIn: renderer.fadeFrames)
    }
}

/// A parameter and two values for it.
struct ChangedParameter: CustomTestStringConvertible, Sendable {
    let testDescription: String
    private let effect: (@Sendable (inout EffectSettings, Bool) -> Void)?
    private let apply: @Sendable (RenderedSine, Bool) -> Void

    private init(_ name: String, on sine: @escaping @Sendable (RenderedSine, Bool) -> Void) {
        (testDescription, effect, apply) = (name, nil, sine)
    }

    private init(_ name: String, _ effect: @escaping @Sendable (inout EffectSettings, Bool) -> Void) {
        (testDescription, self.effect) = (name, effect)
        apply = { sine, isOther in sine.set(.on { effect(&$0, isOther) }) }
    }

    private init(_ name: String, _ one: GainChange, _ other: GainChange) {
        self.init(name) { sine, isOther in sine.set(isOther ? other : one) }
    }

    func set(_ isOther: Bool, on sine: RenderedSine) { apply(sine, isOther) }

    /// All effects at once.
    static func allEffects(_ isOther: Bool) -> EffectSettings {
        .on { for parameter in each { parameter.effect?(&$0, isOther) } }
    }

    private static let effects = [
        ChangedParameter("bands") { settings, isOther in
            settings.equalizer.isEnabled = true
            settings.equalizer.bands = [63, 125, 250, 500, 1_000, 2_000, 4_000, 8_000, 12_000, 16_000].map {
                EffectSettings.Band(.peak, frequency: $0, gain: isOther ? 3 : -6, q: 1.4)
            }
        },
        ChangedParameter("equalizer's preamp") { settings, isOther in
            settings.equalizer.isEnabled = true
            settings.equalizer.preamp = isOther ? -9 : 0
        },
        ChangedParameter("compressor") { settings, isOther in settings.compressor.isEnabled = isOther },
        ChangedParameter("limiter's ceiling") { settings, isOther in
            settings.limiter.isEnabled = true
            settings.limiter.ceiling = isOther ? -20 : 0
        },
        ChangedParameter("limiter") { settings, isOther in
            settings.limiter.isEnabled = isOther
            settings.limiter.ceiling = -20
        },
        ChangedParameter("crossfeed's level") { settings, isOther in
            settings.crossfeed.isEnabled = true
            settings.crossfeed.level = isOther ? 1 : 15
        },
        ChangedParameter("crossfeed") { settings, isOther in
            settings.crossfeed.isEnabled = isOther
            settings.crossfeed.level = 1
        },
        ChangedParameter("width") { settings, isOther in settings.width = isOther ? 1.5 : 0.5 },
        ChangedParameter("mono") { settings, isOther in settings.mono = isOther },
        ChangedParameter("loudness' preamp") { settings, isOther in
            settings.loudness.mode = .track
            settings.loudness.untaggedPreamp = isOther ? -9 : 0
        },
        ChangedParameter("loudness") { settings, isOther in
            settings.loudness.mode = isOther ? .auto : .off
            settings.loudness.untaggedPreamp = -9
        },
        ChangedParameter("delay") { settings, isOther in settings.delay = isOther ? 10.3 : 0 },
        ChangedParameter("reverb's mix") { settings, isOther in
            settings.reverb.isEnabled = true
            settings.reverb.mix = isOther ? 0.7 : 0.1
        },
        ChangedParameter("reverb") { settings, isOther in settings.reverb.isEnabled = isOther },
        ChangedParameter("effects") { settings, isOther in
            settings.isEnabled = isOther
            settings.equalizer.isEnabled = true
            settings.equalizer.bands = [EffectSettings.Band(.peak, frequency: 1_000, gain: -9, q: 1)]
            settings.width = 0.5
            settings.limiter.isEnabled = true
        },
    ]

    static let each =
        effects + [
            ChangedParameter("volume", .volume(1, seconds: 0), .volume(0.2, seconds: 0)),
            ChangedParameter("mute", .balance(.unity), .balance(.silence)),
            ChangedParameter(
                "balance", .balance(ChannelGains(volume: 1, muted: false, balance: -1)),
                .balance(ChannelGains(volume: 1, muted: false, balance: 1))),
            ChangedParameter("duck", .ducking(1, seconds: 0), .ducking(0.1, seconds: 0)),
            ChangedParameter("timer", .timer(1, seconds: 0), .timer(0.1, seconds: 0)),
        ]

    /// A crossfade of a sine into itself must be inaudible.
    static let speed = ChangedParameter("speed") { sine, isOther in
        sine.splice(RenderedSine.step, phase: isOther ? 2 : 0.5)
    }

    static let pitch = ChangedParameter("pitch") { sine, isOther in
        sine.splice(isOther ? RenderedSine.otherStep : RenderedSine.step, phase: isOther ? 1 : 3)
    }

    /// Must be inaudible.
    static let meters = ChangedParameter("meters") { sine, isOther in
        sine.use(isOther ? TapRing(format: RenderedSine.format) : nil)
    }
}
