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
            if !undoFadeOut(over: fade) { lengthenFadeIn(fade) }
        case .creating, .corking: lengthenFadeIn(fade)
        case .corked:
            lengthenFadeIn(fade)
            run()
        case .running:
            if sound.isSounding { emit(.started(generation)) }
            tick()
        case .unanswered, .disconnecting, .ended: break
        }
    }

    /// Does nothing unless the stream is silent.
    func beginItem() {
        switch phase {
        case .creating, .corked:
            context.pointee.nextFadeIn = 0
            context.pointee.renderer.beginItem()
            renewEffects()
            setTap(tap?.tap)
        case .running, .fading, .corking, .unanswered, .disconnecting, .ended: break
        }
    }

    private func lengthenFadeIn(_ seconds: Double) {
        guard context.pointee.nextFadeIn > 0 else { return }
        context.pointee.nextFadeIn = max(context.pointee.nextFadeIn, ring.format.frames(seconds))
    }

    /// Cancels the last requested pause: nothing was silent.
    private func undoFadeOut(over seconds: Double) -> Bool {
        guard flushing == nil, context.pointee.dropsBefore == nil,
            context.pointee.renderer.fadeIn(from: safeIndex(.now), over: ring.format.frames(seconds))
        else { return false }
        context.pointee.nextFadeIn = 0
        context.pointee.isEnding = false
        phase = .running
        context.pointee.rewrite()
        if sound.isSounding { emit(.started(generation)) }
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
        isDraining = false
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

    /// The ring is empty: the stream is drained without having been started.
    func answerEmptyDrain() {
        if isDraining, phase == .corked, ring.unread == 0 { drained() }
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
        guard context.pointee.renderer.ringIndex(at: safe) < index || ring.readIndex == index else {
            // Frames from the index on have reached the sink already.
            flushing = (end: safe, until: now.advanced(bySeconds: patience))
            context.pointee.renderer.skip(to: index)
            return
        }
        // A long fade is rendered in parts: the following sound begins at its end.
        let frames = ring.format.frames(fade)
        context.pointee.renderer.fadeOut(from: safe, limit: index, over: frames)
        let end = max(context.pointee.renderer.fadeOutEnd ?? safe, safe)
        context.pointee.dropsBefore = index
        context.pointee.nextFadeIn = min(frames, ring.format.frames(Self.longestFadeInOfAnother))
        context.pointee.rewrite()
        flushing = (end: end, until: now.advanced(bySeconds: patience + ring.format.seconds(end - safe)))
        sound.isSounding = false
        context.pointee.fill()
    }

    /// Queued frames are rendered again from the splice on. While corking the sink's read index is unknown: the splice
    /// follows the frames that were read.
    func splice(_ splice: RingSplice) {
        switch phase {
        case .running, .fading:
            context.pointee.renderer.splice(splice, from: safeIndex(.now))
            context.pointee.rewrite()
            tick()
        case .creating, .corked, .corking:
            context.pointee.renderer.splice(splice, from: context.pointee.renderer.cursor)
        case .unanswered, .disconnecting, .ended: break
        }
    }

    /// Maximum fade-in in seconds of the next item after a long fade-out.
    private static var longestFadeInOfAnother: Double { 0.05 }

    func setGain(_ change: GainChange) {
        let isRunning = context.pointee.isRunning
        if isRunning { context.pointee.renderer.rewind(to: safeIndex(.now)) }
        let start = max(context.pointee.renderer.cursor, isRunning ? safeIndex(.now) : corkedIndex)
        context.pointee.renderer.gains.apply(change, from: start, isSilent: !isRunning)
        if isRunning {
            context.pointee.rewrite()
            tick()
        }
    }

    // MARK: Running and corking

    /// The stream is corked: continues according to the last command.
    func runIfWanted() {
        if phase == .corked, goal == .run { run() }
        answerEmptyDrain()
    }

    /// From corked. Uncorking an empty stream would lose the first frames within the sink's latency, as the sink's read
    /// index is then known only roughly. So it waits for as many frames as the sink may consume at once.
    private func run() {
        context.pointee.gather()
        tick()
    }

    func runWhenFed(_ now: MonotonicTime) {
        guard mayRun, ring.unread > 0 || !ring.requestFrames(), context.pointee.hasEnough(now: now) else { return }
        uncork(now)
    }

    /// First frames, then the uncorking, then the rest of the queue.
    private func uncork(_ now: MonotonicTime) {
        let latency = context.pointee.anchor.sinkLatency
        context.pointee.renderer.beginSegment(at: corkedIndex, fadingIn: context.pointee.nextFadeIn)
        context.pointee.nextFadeIn = 0
        context.pointee.renderer.holdsFrames = false
        context.pointee.isEnding = false
        context.pointee.anchor = ClockAnchor(
            heard: Double(corkedIndex), time: now, sampleRate: sampleRate, sinkLatency: latency)
        context.pointee.fill(atMost: ring.format.frames(0.06))
        requestUncork()
        context.pointee.fill()
        context.pointee.isRunning = true
        phase = .running
        sound.isSounding = false
        timing.started(at: corkedIndex, now)
        requestTiming()
    }

    /// During a long fade the stream keeps writing; the frames after the fade stay in the ring.
    private func fadeOut(over seconds: Double) {
        let now = MonotonicTime.now
        let safe = safeIndex(now)
        context.pointee.renderer.fadeOut(from: safe, limit: .max, over: ring.format.frames(seconds))
        context.pointee.nextFadeIn = context.pointee.renderer.fadeFrames
        context.pointee.isEnding = true
        context.pointee.rewrite()
        let end = context.pointee.renderer.fadeOutEnd ?? context.pointee.renderer.cursor
        // A sink that does not advance (suspended, frozen) never plays the fade; its absence is inaudible.
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

    /// Corks and requests the server's read index.
    func cork() {
        freeze()
        context.pointee.isRunning = false
        phase = .corking
        release(pa_stream_cork(stream, 1, nil, nil))
        requestCorkedIndex()
    }

    /// The server's answer after corking: frames that it took back from the sink were not heard.
    func corked(at index: FrameCount) {
        guard phase == .corking else { return }
        context.pointee.renderer.rewind(to: index)
        context.pointee.renderer.settle()
        corkedIndex = index
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

    /// Seconds that stay in the ring after a shift, so that the sink does not run dry.
    private static let spareSeconds = 0.1

    /// Shifts the following sound `frames` earlier (later if negative), from the first frame that the sink has not
    /// consumed. Does nothing without queued sound to shift.
    func shift(by frames: FrameCount) {
        guard phase == .running, sound.isSounding, flushing == nil, !isDraining, !context.pointee.renderer.holdsFrames
        else { return }
        context.pointee.renderer.fadeOut(from: safeIndex(.now), limit: .max)
        context.pointee.rewrite()
        context.pointee.renderer.shift(by: frames, spare: ring.format.frames(Self.spareSeconds))
        context.pointee.fill()
        tick()
    }
}
