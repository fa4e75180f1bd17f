// SPDX-License-Identifier: Apache-2.0

import Audio
internal import CPulse
import Kernel
import Playback

/// The player's commands, each from every phase.
extension PulseStream {
    func start(fade: Double) {
        guard !isClosing else { return }
        goal = .run
        isDraining = false
        switch phase {
        case .fading:
            if !takeBackFade(over: fade) { lengthenFadeIn(fade) }
        case .creating, .corking: lengthenFadeIn(fade)
        case .corked:
            lengthenFadeIn(fade)
            run()
        case .running:
            if isSounding { emit(.started(generation)) }
            tick()
        case .unanswered, .disconnecting, .ended: break
        }
    }

    private func lengthenFadeIn(_ seconds: Double) {
        guard context.pointee.nextFadeIn > 0 else { return }
        context.pointee.nextFadeIn = max(context.pointee.nextFadeIn, ring.format.frames(seconds))
    }

    /// The pause that was asked for last is off: nothing was silent.
    private func takeBackFade(over seconds: Double) -> Bool {
        guard flushing == nil, context.pointee.dropsBefore == nil,
            context.pointee.renderer.fadeIn(from: safeIndex(.now), over: ring.format.frames(seconds))
        else { return false }
        context.pointee.nextFadeIn = 0
        phase = .running
        context.pointee.rewrite()
        if isSounding { emit(.started(generation)) }
        tick()
        return true
    }

    func pause(fade: Double) {
        guard !isClosing else { return }
        goal = .pause
        switch phase {
        case .creating, .corked: paused()
        case .running, .fading: fadeOut(over: fade)
        case .corking, .unanswered, .disconnecting, .ended: break
        }
    }

    private func paused() {
        goal = .rest
        emit(.paused(generation))
    }

    func close() {
        goal = .close
        switch phase {
        case .running, .fading: fadeOut(over: 0)
        case .corked, .corking: disconnect()
        case .unanswered: emit(.closed(generation))
        case .creating, .disconnecting, .ended: break
        }
    }

    func drain() {
        isDraining = true
        answerEmptyDrain()
        tick()
    }

    /// Nothing to play: drained without ever having been started.
    func answerEmptyDrain() {
        if isDraining, phase == .corked, !context.pointee.renderer.hasFrames { drained() }
    }

    func flush(to index: FrameCount, fade: Double) {
        isDraining = false
        let now = MonotonicTime.now
        switch phase {
        case .running: flushRunning(to: index, fade: fade, now)
        case .creating, .corked:
            context.pointee.drop(before: index, at: corkedIndex)
            emit(.flushed(generation))
            if phase == .corked, goal == .run { run() }
        case .corking:
            context.pointee.renderer.skip(to: index)
            flushing = (end: 0, until: now)
        case .fading:
            context.pointee.dropsBefore = index
            fadeOut(over: 0)
            if case .fading(let end, let deadline) = phase { flushing = (end: end, until: deadline) }
        case .unanswered, .disconnecting, .ended: break
        }
        tick()
    }

    private func flushRunning(to index: FrameCount, fade: Double, _ now: MonotonicTime) {
        let safe = safeIndex(now)
        let patience = context.pointee.anchor.sinkLatency + 0.2
        guard context.pointee.renderer.ringIndex(at: safe) < index else {
            // All that is to be dropped has reached the sink already.
            flushing = (end: safe, until: now.advanced(bySeconds: patience))
            context.pointee.renderer.skip(to: index)
            return
        }
        // A long fade is rendered bit by bit: what follows begins where it ends.
        let frames = ring.format.frames(fade)
        context.pointee.renderer.fadeOut(from: safe, limit: index, over: frames)
        let end = max(context.pointee.renderer.fadeOutEnd ?? safe, safe)
        context.pointee.dropsBefore = index
        context.pointee.nextFadeIn = min(frames, ring.format.frames(Self.longestFadeInOfAnother))
        context.pointee.rewrite()
        flushing = (end: end, until: now.advanced(bySeconds: patience + ring.format.seconds(end - safe)))
        isSounding = false
        context.pointee.fill()
    }

    /// What is queued from there on is rendered again.
    func splice(_ splice: RingSplice) {
        switch phase {
        case .running, .fading:
            context.pointee.renderer.splice(splice, from: safeIndex(.now))
            context.pointee.rewrite()
            tick()
        case .creating, .corked: context.pointee.renderer.splice(splice, from: corkedIndex)
        case .corking: waitingSplice = splice
        case .unanswered, .disconnecting, .ended: break
        }
    }

    /// Seconds, behind a long fade-out: the other item begins there.
    private static var longestFadeInOfAnother: Double { 0.05 }

    /// While corked or fading, a ramp begins with the next frames; a step has then nothing to smooth.
    func setGains(_ gains: ChannelGains, over seconds: Double) { move(\.ramp, to: gains, over: seconds) }

    /// Where nothing sounds, it is there at once: the music must not come up for a moment.
    func duck(to gains: ChannelGains, over seconds: Double) {
        move(\.ducking, to: gains, over: context.pointee.isRunning ? seconds : 0)
    }

    private func move(
        _ ramp: WritableKeyPath<StreamRenderer, StreamGainRamp>, to gains: ChannelGains, over seconds: Double
    ) {
        let isRunning = context.pointee.isRunning
        if isRunning { context.pointee.renderer.rewind(to: safeIndex(.now)) }
        let start = isRunning ? max(context.pointee.renderer.cursor, safeIndex(.now)) : max(corkedIndex, 0)
        if isRunning || seconds > 0 {
            context.pointee.renderer[keyPath: ramp] = context.pointee.renderer[keyPath: ramp].moved(
                to: gains, from: start, over: seconds, sampleRate: ring.format.sampleRate)
        } else {
            context.pointee.renderer[keyPath: ramp] = StreamGainRamp(gains)
        }
        if isRunning {
            context.pointee.rewrite()
            tick()
        }
    }

    // MARK: Running and standing

    /// The stream is corked: goes on as the last command wants.
    func runIfWanted() {
        if phase == .corked, goal == .run { run() }
        answerEmptyDrain()
    }

    /// From corked. Uncorking an empty stream would cost the first frames the sink's latency: where the sink reads is
    /// then only known roughly. So it waits for as much as the sink may take at once.
    private func run() {
        context.pointee.gather()
        tick()
    }

    func runWhenFed(_ now: MonotonicTime) {
        guard goal == .run, ring.unread > 0 || !ring.askForFrames(), context.pointee.hasEnough(now: now) else { return }
        uncork(now)
    }

    /// Frames first, then the uncorking, then the rest of the queue.
    private func uncork(_ now: MonotonicTime) {
        let latency = context.pointee.anchor.sinkLatency
        context.pointee.renderer.beginSegment(at: corkedIndex, fadingIn: context.pointee.nextFadeIn)
        context.pointee.nextFadeIn = 0
        context.pointee.renderer.holdsFrames = false
        context.pointee.anchor = ClockAnchor(
            heard: Double(corkedIndex), time: now, sampleRate: sampleRate, sinkLatency: latency)
        context.pointee.fill(atMost: ring.format.frames(0.06))
        askForUncork()
        context.pointee.fill()
        context.pointee.isRunning = true
        phase = .running
        isSounding = false
        timing.started(at: corkedIndex, now)
        requestTiming()
    }

    /// A long fade goes on being served; the frames behind it stay in the ring.
    private func fadeOut(over seconds: Double) {
        let now = MonotonicTime.now
        let safe = safeIndex(now)
        context.pointee.renderer.fadeOut(from: safe, limit: .max, over: ring.format.frames(seconds))
        context.pointee.nextFadeIn = context.pointee.renderer.fadeFrames
        context.pointee.rewrite()
        let end = context.pointee.renderer.fadeOutEnd ?? context.pointee.renderer.cursor
        // A sink that stands (suspended, frozen) never plays the fade; nobody hears its absence.
        let patience =
            isSuspended ? 0 : context.pointee.anchor.sinkLatency + 0.1 + ring.format.seconds(max(0, end - safe))
        phase = .fading(end: end, until: now.advanced(bySeconds: patience))
        tick()
    }

    func fadeEnded() {
        if flushing != nil {
            flushing = nil
            emit(.flushed(generation))
        }
        if isClosing { disconnect() } else { cork() }
    }

    /// Corks and asks where the server's read index then stands.
    func cork() {
        freeze()
        context.pointee.isRunning = false
        phase = .corking
        askForCork()
        askCorkedIndex()
    }

    /// The server's answer after corking: what it took back from the sink was not heard.
    func corked(at index: FrameCount) {
        guard phase == .corking else { return }
        context.pointee.renderer.rewind(to: index)
        corkedIndex = index
        if let waitingSplice { context.pointee.renderer.splice(waitingSplice, from: index) }
        waitingSplice = nil
        if let limit = context.pointee.dropsBefore { context.pointee.drop(before: limit, at: index) }
        context.pointee.anchor.heard = Double(index)
        context.pointee.anchor.time = .now
        phase = .corked
        publish()
        if flushing != nil {
            flushing = nil
            context.pointee.drop(before: 0, at: index)
            emit(.flushed(generation))
        }
        if goal == .pause { paused() }
        if isClosing { disconnect() } else { runIfWanted() }
    }

    /// What stays in the ring behind a shift, so that the sink does not run dry on it.
    private static let spareSeconds = 0.1

    /// Lets what follows be heard `frames` earlier, from the first frame on that the sink has not taken; later when
    /// negative. Does nothing unless sound is on its way that can be shifted.
    func shift(by frames: FrameCount) {
        guard phase == .running, isSounding, flushing == nil, !isDraining, !context.pointee.renderer.holdsFrames
        else { return }
        context.pointee.renderer.fadeOut(from: safeIndex(.now), limit: .max)
        context.pointee.rewrite()
        context.pointee.renderer.shift(by: frames, spare: ring.format.frames(Self.spareSeconds))
        context.pointee.fill()
        tick()
    }
}
