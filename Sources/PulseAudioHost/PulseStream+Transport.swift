// SPDX-License-Identifier: Apache-2.0

import Audio
internal import CPulse
import Playback
import Threading

/// The player's commands, each from every phase.
extension PulseStream {
    func start() {
        wantsToRun = true
        isDraining = false
        switch phase {
        case .creating, .fading, .corking: startsWhenCorked = true
        case .corked: run()
        case .running:
            if isSounding { say(.started(generation)) }
            tick()
        case .unanswered, .disconnecting, .ended: break
        }
    }

    func pause() {
        wantsToRun = false
        startsWhenCorked = false
        awaitsFrames = false
        switch phase {
        case .creating, .corked: say(.paused(generation))
        case .running:
            answersPause = true
            fadeOut()
        case .fading, .corking: answersPause = true
        case .unanswered, .disconnecting, .ended: break
        }
    }

    func close() {
        isClosing = true
        switch phase {
        case .running: fadeOut()
        case .corked, .corking: disconnect()
        case .unanswered: say(.closed(generation))
        case .creating, .fading, .disconnecting, .ended: break
        }
    }

    func drain() {
        isDraining = true
        drainAnswered = false
        answerEmptyDrain()
        tick()
    }

    /// Nothing to play: drained without ever having been started.
    func answerEmptyDrain() {
        guard isDraining, !drainAnswered, phase == .corked, !context.pointee.renderer.hasFrames else { return }
        drainAnswered = true
        wantsToRun = false
        awaitsFrames = false
        say(.drained(generation))
    }

    func flush(to index: FrameCount) {
        isDraining = false
        let now = MonotonicTime.now
        switch phase {
        case .running: flushRunning(to: index, now)
        case .creating, .corked:
            dropFrames(before: index, at: corkedIndex)
            say(.flushed(generation))
            if phase == .corked, wantsToRun { run() }
        case .corking:
            context.pointee.renderer.skip(to: index)
            flushing = (end: 0, until: now)
            startsWhenCorked = wantsToRun
        case .fading(let end, let deadline):
            context.pointee.renderer.skip(to: index)
            flushing = (end: end, until: deadline)
        case .unanswered, .disconnecting, .ended: break
        }
        tick()
    }

    private func flushRunning(to index: FrameCount, _ now: MonotonicTime) {
        let safe = safeIndex(now)
        guard context.pointee.renderer.ringIndex(at: safe) < index else {
            // All that is to be dropped has reached the sink already.
            flushing = (end: safe, until: now.advanced(bySeconds: context.pointee.anchor.sinkLatency + 0.2))
            context.pointee.renderer.skip(to: index)
            return
        }
        context.pointee.renderer.fadeOut(from: safe, limit: index)
        context.pointee.rewrite()
        let end = max(context.pointee.renderer.cursor, safe)
        dropFrames(before: index, at: end)
        flushing = (end: end, until: now.advanced(bySeconds: context.pointee.anchor.sinkLatency + 0.2))
        isSounding = false
        context.pointee.gather()
        context.pointee.fill()
    }

    private func dropFrames(before index: FrameCount, at streamIndex: FrameCount) {
        context.pointee.renderer.skip(to: index)
        context.pointee.renderer.beginSegment(at: streamIndex, fadingIn: true)
        context.pointee.fadesInNext = true
        expectsSilence = true
    }

    /// While corked or fading, a ramp begins with the next frames; a step has then nothing to smooth.
    func setGains(_ gains: ChannelGains, over seconds: Double) { move(\.ramp, to: gains, over: seconds) }

    /// Where nothing sounds, it is there at once: the music must not come up for a moment.
    func duck(to gains: ChannelGains, over seconds: Double) {
        move(\.ducking, to: gains, over: phase == .running ? seconds : 0)
    }

    private func move(
        _ ramp: WritableKeyPath<StreamRenderer, StreamGainRamp>, to gains: ChannelGains, over seconds: Double
    ) {
        let isRunning = phase == .running
        if isRunning { context.pointee.renderer.rewind(to: safeIndex(.now)) }
        let start = isRunning ? max(context.pointee.renderer.cursor, safeIndex(.now)) : max(corkedIndex, 0)
        let current = context.pointee.renderer[keyPath: ramp].gains(
            at: isRunning ? context.pointee.renderer.cursor : start)
        let length = isRunning ? max(0.005, seconds) : seconds
        context.pointee.renderer[keyPath: ramp] =
            length > 0
            ? StreamGainRamp(from: current, to: gains, start: start, length: ring.format.frames(min(length, 86_400)))
            : StreamGainRamp(gains)
        if isRunning {
            context.pointee.rewrite()
            tick()
        }
    }

    // MARK: Running and standing

    /// From corked. Uncorking an empty stream would cost the first frames the sink's latency: where the sink reads is
    /// then only known roughly. So it waits for as much as the sink may take at once.
    func run() {
        startsWhenCorked = false
        wantsToRun = true
        awaitsFrames = true
        context.pointee.gather()
        tick()
    }

    func runWhenFed(_ now: MonotonicTime) {
        guard awaitsFrames, ring.unread > 0 || !ring.askForFrames(), context.pointee.hasEnough(now: now) else { return }
        awaitsFrames = false
        uncork(now)
    }

    /// Frames first, then the uncorking, then the rest of the queue.
    private func uncork(_ now: MonotonicTime) {
        let latency = context.pointee.anchor.sinkLatency
        context.pointee.renderer.beginSegment(at: corkedIndex, fadingIn: context.pointee.fadesInNext)
        context.pointee.fadesInNext = false
        context.pointee.renderer.holdsFrames = false
        context.pointee.anchor = ClockAnchor(
            heard: Double(corkedIndex), time: now, sampleRate: sampleRate, sinkLatency: latency)
        context.pointee.fill(atMost: ring.format.frames(0.06))
        askForUncork()
        context.pointee.fill()
        context.pointee.isRunning = true
        phase = .running
        expectsSilence = true
        isSounding = false
        timing.started(at: corkedIndex, now)
        requestTiming()
    }

    private func fadeOut() {
        let now = MonotonicTime.now
        context.pointee.renderer.fadeOut(from: safeIndex(now), limit: .max)
        context.pointee.isRunning = false
        context.pointee.fill()
        context.pointee.fadesInNext = true
        let end = context.pointee.renderer.cursor
        // A sink that stands (suspended, frozen) never plays the fade; nobody hears its absence.
        let patience = isSuspended ? 0 : context.pointee.anchor.sinkLatency + 0.1
        phase = .fading(end: end, until: now.advanced(bySeconds: patience))
        tick()
    }

    func fadeEnded() {
        if flushing != nil {
            flushing = nil
            say(.flushed(generation))
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
        context.pointee.anchor.heard = Double(index)
        context.pointee.anchor.time = .now
        phase = .corked
        publish()
        if flushing != nil {
            flushing = nil
            dropFrames(before: 0, at: index)
            say(.flushed(generation))
        }
        if answersPause {
            answersPause = false
            say(.paused(generation))
        }
        if isClosing {
            disconnect()
        } else if startsWhenCorked {
            run()
        } else {
            answerEmptyDrain()
        }
    }
}
