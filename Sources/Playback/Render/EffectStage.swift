// SPDX-License-Identifier: Apache-2.0

public import Audio
internal import Kernel

/// The effects of one stream, between the ring and the renderer.
///
/// The stage reads the ring by index: it returns the frames at the read position, and looks ahead at later frames, which
/// stay unread. So effects add no latency, and frames can be rendered again with new parameters. Used on the render
/// thread. A renderer holds it without a reference, so its owner must keep it alive.
public final class EffectStage {
    /// At a fixed address, so that rendering needs no reference counting and no exclusivity check.
    private let core: UnsafeMutablePointer<EffectStageCore>
    private let format: AudioFormat
    private var settings: EffectSettings
    private var lastNumber: UInt64 = 1

    /// The stage for `settings` that replaces `stage`: the same one, a new one, or none if no effect is on. Frames from
    /// the ring's read position on fade to the settings; if no frame before them is left, the settings apply from the start.
    public static func changed(_ stage: EffectStage?, to settings: EffectSettings, ring: FrameRing) -> EffectStage? {
        guard let stage else { return isNeeded(for: settings, ring.format) ? EffectStage(settings, ring: ring) : nil }
        stage.change(to: settings)
        return stage.isSpent ? nil : stage
    }

    private static func isNeeded(for settings: EffectSettings, _ format: AudioFormat) -> Bool {
        settings.usedLoudness.mode != .off || !EffectParameters(settings, format: format, number: 1).isNeutral
    }

    /// The stage for the frames after silence; nil if no effect is on. The frames before it are forgotten.
    public static func renewed(_ stage: EffectStage?, ring: FrameRing) -> EffectStage? {
        stage.flatMap { changed(nil, to: $0.settings, ring: ring) }
    }

    init(_ settings: EffectSettings, ring: FrameRing) {
        let startsRun = ring.readIndex == ring.oldest
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
            // The frames inside the chain keep their loudness.
            core.pointee.loudness.change(
                to: settings.usedLoudness,
                from: core.pointee.readIndex + FrameCount(EffectChain.lookAhead + EffectChain.quantum))
        }
    }

    /// No effect is on, and no frame that can be rendered again was rendered with one.
    public var isSpent: Bool {
        !core.pointee.isEngaged && core.pointee.wanted.isNeutral
            && core.pointee.loudness.isOff(from: core.pointee.readIndex)
    }

    /// Frames of effect tail after the last frame.
    var tailFrames: FrameCount { format.frames(settings.tail) }

    /// The chain runs.
    var isEngaged: Bool { core.pointee.isEngaged }

    /// True if the last frames may be rendered as if silence followed. Otherwise they wait for the frames after them.
    public var padsEnd: Bool {
        @_noLocks @_noAllocation get { core.pointee.padsEnd }
        @_noLocks @_noAllocation set { core.pointee.padsEnd = newValue }
    }

    /// Seconds from a step back to the first frames with `settings`, on this machine at present: new filters process the
    /// past, and the frames since the last checkpoint are rendered again.
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

    /// The ring was skipped: the next frames belong to another place.
    @_noLocks @_noAllocation
    func beginRun() { core.pointee.startsRun = true }

    /// Sets the ring index from which no frame is used.
    @_noLocks @_noAllocation
    func setLimit(_ limit: FrameCount) { core.pointee.limit = limit }

    /// The number of frames rendered last as if silence followed, although the ring has their successors by now.
    var paddedFrames: FrameCount {
        @_noLocks @_noAllocation get { core.pointee.paddedFrames }
    }
}

extension EffectSettings {
    /// The loudness settings in force.
    var usedLoudness: Loudness { isEnabled ? loudness : Loudness() }
}
