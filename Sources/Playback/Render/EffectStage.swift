// SPDX-License-Identifier: Apache-2.0

public import Audio
internal import Kernel

/// The effects of one stream, between the ring and the renderer.
///
/// It takes its frames from the ring by index: the frames at the read position come out, those behind it are looked at
/// ahead of time and stay unread. So effects have no latency that anybody must know, and a renderer that rewinds the ring
/// gets the same frames again, from the parameters that hold by then. Used on the thread that renders; a renderer holds it
/// without a reference, so its owner keeps it alive.
public final class EffectStage {
    /// At a fixed address, so that rendering touches no reference count and no exclusivity check.
    private let core: UnsafeMutablePointer<EffectStageCore>
    private let format: AudioFormat
    private var settings: EffectSettings
    private var lastNumber: UInt64 = 1

    /// The stage for `settings` in place of `stage`: the same one changed, a new one, or none when nothing is on. What is
    /// rendered from the ring's read position on fades to them; where nothing has been read yet, they hold from the start.
    public static func changed(_ stage: EffectStage?, to settings: EffectSettings, ring: FrameRing) -> EffectStage? {
        guard let stage else { return isNeeded(for: settings, ring.format) ? EffectStage(settings, ring: ring) : nil }
        stage.change(to: settings)
        return stage.isSpent ? nil : stage
    }

    private static func isNeeded(for settings: EffectSettings, _ format: AudioFormat) -> Bool {
        settings.usedLoudness.mode != .off || !EffectParameters(settings, format: format, number: 1).isNeutral
    }

    init(_ settings: EffectSettings, ring: FrameRing) {
        let startsRun = ring.readIndex == 0
        format = ring.format
        self.settings = settings
        core = .allocate(capacity: 1)
        core.initialize(
            to: EffectStageCore(
                ring: ring, wanted: EffectParameters(settings, format: ring.format, number: 1),
                loudness: LoudnessCourse(
                    startsRun ? settings.usedLoudness : EffectSettings.Loudness(), sampleRate: ring.format.sampleRate),
                startsRun: startsRun))
        core.pointee.prepareMemory(format)
        if !startsRun { changeLoudness() }
    }

    deinit {
        core.pointee.deallocate()
        core.deallocate()
    }

    func change(to settings: EffectSettings) {
        guard settings != self.settings else { return }
        self.settings = settings
        lastNumber += 1
        core.pointee.wanted = EffectParameters(settings, format: format, number: lastNumber)
        core.pointee.prepareMemory(format)
        changeLoudness()
    }

    private func changeLoudness() {
        if core.pointee.startsRun {
            core.pointee.loudness = LoudnessCourse(settings.usedLoudness, sampleRate: format.sampleRate)
        } else {
            // Measured frames stay as they are.
            core.pointee.loudness.change(
                to: settings.usedLoudness,
                from: core.pointee.readIndex + FrameCount(EffectChain.lookAhead + EffectChain.quantum))
        }
    }

    /// Nothing is on, and nothing that can be rendered again was rendered with anything on.
    public var isSpent: Bool {
        !core.pointee.isEngaged && core.pointee.wanted.isNeutral
            && core.pointee.loudness.isOff(from: core.pointee.readIndex)
    }

    /// Frames in which something is still heard behind the last one.
    var tailFrames: FrameCount { format.frames(settings.tail) }

    /// Whether the chain runs.
    var isEngaged: Bool { core.pointee.isEngaged }

    /// Whether the last frames may be rendered as if silence followed them. Else they wait for the frames behind them.
    public var padsEnd: Bool {
        @_noLocks @_noAllocation get { core.pointee.padsEnd }
        @_noLocks @_noAllocation set { core.pointee.padsEnd = newValue }
    }

    /// Seconds from a step back to the first frames with `settings`, on this machine at this moment: new filters are shown
    /// what went before, and the frames since the last checkpoint are rendered again.
    public static func secondsToChange(to settings: EffectSettings, _ format: AudioFormat) -> Double {
        let quanta = 16
        let chain = UnsafeMutablePointer<EffectChain>.allocate(capacity: 1)
        let samples = UnsafeMutablePointer<Float>.allocate(capacity: EffectChain.quantum * format.channelCount)
        defer {
            chain.deallocate()
            samples.deallocate()
        }
        chain.initialize(to: EffectChain(EffectParameters(settings, format: format, number: 1)))
        samples.initialize(repeating: 0, count: EffectChain.quantum * format.channelCount)
        let start = MonotonicTime.now
        for _ in 0..<quanta { chain.pointee.process(samples, into: samples, guarding: true) }
        let frames = format.frames(EffectChain.warmingSeconds) + 2 * EffectStageCore.spacing(at: format.sampleRate)
        return MonotonicTime.now.seconds(since: start) * Double(frames) / Double(quanta * EffectChain.quantum)
    }

    // MARK: For the renderer

    /// Reads up to `frames` frames from the ring through the effects.
    @_noLocks @_noAllocation
    func read(into samples: UnsafeMutablePointer<Float>, frames: Int) -> Int {
        core.pointee.read(into: samples, frames: frames)
    }

    /// The ring was skipped: what follows has nothing to do with what was before.
    @_noLocks @_noAllocation
    func beginRun() { core.pointee.startsRun = true }

    /// Ring index from which on nothing is looked at.
    @_noLocks @_noAllocation
    func setLimit(_ limit: FrameCount) { core.pointee.limit = limit }

    /// How many of the frames that were read last were rendered as if silence followed, although by now frames do.
    var paddedFrames: FrameCount {
        @_noLocks @_noAllocation get { core.pointee.paddedFrames }
    }
}

extension EffectSettings {
    /// That of the tracks as it is heard.
    var usedLoudness: Loudness { isEnabled ? loudness : Loudness() }
}
