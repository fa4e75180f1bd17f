// SPDX-License-Identifier: Apache-2.0

import Audio
internal import CPulse
import Playback
import Kernel

/// One playback stream: PulseAudio's side of a generation. Mainloop thread only, as `owner` checks at each callback and
/// tick.
///
/// `tick` compares the verified clock with the renderer's map and reports the reached points; callbacks, commands and
/// one timer call it. See `PulseStream+Transport.swift` for the commands.
final class PulseStream: CallbackTarget {
    enum Phase: Equatable {
        /// Must not be used before the server has answered: freeing a stream that is being created hangs or leaks.
        case creating(until: MonotonicTime)
        /// Abandoned while it was being created. It is kept, as the server may still create it; then it is
        /// disconnected.
        case unanswered
        case corked
        case running
        /// The fade-out is queued; the stream corks or disconnects after it was heard.
        case fading(end: FrameCount, until: MonotonicTime)
        /// Corked; the pending answer contains the exact read index.
        case corking
        case disconnecting(until: MonotonicTime)
        case ended
    }

    /// Set by the last command.
    enum Goal {
        /// No change: paused, drained, or not started yet.
        case rest
        /// Sound. A corked stream waits until the ring has enough frames; any other silence ends without a further
        /// command.
        case run
        /// Silence, which is then reported.
        case pause
        case close
    }

    let generation: Generation
    let ring: FrameRing
    let number: UInt16
    /// The server may not move the stream to another device.
    let isPinned: Bool
    /// Another stream was requested in its place.
    var isDisplaced = false
    /// Otherwise what belongs on headphones would be heard on the speakers, until another stream takes its place.
    var mayRun: Bool { goal == .run && !isDisplaced }
    let stream: OpaquePointer
    let context: UnsafeMutablePointer<RenderContext>
    var owner = OwningThread()
    unowned let session: PulseSession
    private(set) var timer: PulseTimer!

    var phase: Phase
    /// Only the last opened stream writes the clock.
    var isCurrent = true
    var goal = Goal.rest
    var isSuspended = false
    var sound = SoundWatch()
    var flushing: (end: FrameCount, until: MonotonicTime)?
    /// The exact read index of a corked stream.
    var corkedIndex: FrameCount = 0
    var timing = TimingWatch()
    var stage: EffectStage?
    /// The ring is kept alive for the renderer.
    var tap: (tap: SoundTap, ring: TapRing)?
    /// Pending changes, and the earliest time to apply them.
    var wantedEffects: EffectSettings?
    var effectsDue = MonotonicTime(nanoseconds: 0)
    /// A module of the server requests silence.
    var isCorkRequested = false
    var isMuted = false
    /// Muted from the start, by a call in progress or a mute that the server remembers. nil until the server has answered.
    var isMutedFromStart: Bool?
    /// The pending request for the mute.
    var muteRequest: OpaquePointer?
    /// The pending request for timing: after corking for the server's read index, after uncorking for the sink's state.
    var timingRequest: OpaquePointer?

    /// The server has created the stream.
    var isReady: Bool { pa_stream_get_state(stream) == PA_STREAM_READY }
    var sampleRate: Int { ring.format.sampleRate }
    var isClosing: Bool { goal == .close }
    /// Until it is reported as drained.
    var isDraining: Bool {
        get { context.pointee.isDraining }
        set { context.pointee.isDraining = newValue }
    }

    init(
        stream: OpaquePointer, in server: OpaquePointer, ring: FrameRing, gains: StreamGains, generation: Generation,
        number: UInt16, isPinned: Bool, session: PulseSession
    ) {
        self.stream = stream
        self.ring = ring
        self.generation = generation
        self.number = number
        self.isPinned = isPinned
        self.session = session
        phase = .creating(until: .now.advanced(bySeconds: 5))
        context = .allocate(capacity: 1)
        context.initialize(
            to: RenderContext(
                renderer: StreamRenderer(ring: ring, gains: gains),
                anchor: ClockAnchor(heard: 0, time: .now, sampleRate: ring.format.sampleRate),
                stream: stream, frameBytes: ring.format.channelCount * 4))
        timer = PulseTimer(server, session.api) { [unowned self] in tick() }
        setCallbacks()
        timer.arm(.now.advanced(bySeconds: 5))
        publish()
    }

    deinit {
        timer.free()
        pa_stream_unref(stream)
        context.deinitialize(count: 1)
        context.deallocate()
    }

    /// The clock is written before an event is sent, so that a receiver of the event reads a matching clock. Reading it
    /// keeps it from going back behind the event when the server's next answer does.
    func emit(_ event: AudioOutputEvent) {
        publish()
        if isCurrent { _ = session.board.read(at: .now) }
        session.emit(event)
    }

    /// Removes all callbacks; the owner may then release it.
    func end() {
        guard phase != .ended else { return }
        freeze()
        phase = .ended
        timer.arm(nil)
        dropCallbacks()
        session.streamEnded(self)
    }

    func stateChanged() {
        switch pa_stream_get_state(stream) {
        case PA_STREAM_READY:
            switch phase {
            case .creating, .unanswered: phase = .corked
            default: return
            }
            if isClosing {
                disconnect()
            } else {
                requestTiming()
                requestMuteState()
                // Its device, and whether it should be on another one by now.
                session.streamMoved()
                runIfWanted()
            }
            tick()
        case PA_STREAM_TERMINATED:
            let answersClose = isClosing
            end()
            if answersClose { emit(.closed(generation)) }
        case PA_STREAM_FAILED:
            let code = pa_context_errno(pa_stream_get_context(stream))
            end()
            emit(isClosing ? .closed(generation) : .failed(generation, PulseProblem.streamError(code)))
        default: break
        }
    }

    func disconnect() {
        switch phase {
        case .creating, .unanswered, .disconnecting, .ended: return
        case .corked, .running, .fading, .corking: break
        }
        freeze()
        let deadline = MonotonicTime.now.advanced(bySeconds: 2)
        phase = .disconnecting(until: deadline)
        context.pointee.isRunning = false
        timer.arm(deadline)
        if pa_stream_disconnect(stream) != 0 {
            end()
            emit(.closed(generation))
        }
    }

    // MARK: Clock

    /// Stops the clock at its present index.
    func freeze() {
        let now = MonotonicTime.now
        context.pointee.anchor.heard = context.pointee.anchor.heard(at: now)
        context.pointee.anchor.time = now
        context.pointee.anchor.isRunning = false
        sound.isSounding = false
        publish()
    }

    func publish() {
        guard isCurrent else { return }
        session.board.publish(
            context.pointee.anchor, map: context.pointee.renderer.map, cursor: context.pointee.renderer.cursor,
            stream: number)
    }

    // MARK: Ticks

    func tick() {
        owner.check()
        let now = MonotonicTime.now
        applyEffects(now)
        switch phase {
        case .creating(let deadline):
            if now >= deadline {
                phase = .unanswered
                timer.arm(nil)
                let answersClose = isClosing
                goal = .close
                emit(answersClose ? .closed(generation) : .failed(generation, .lost(PulseProblem.noAnswer)))
                return
            }
        case .running:
            checkProgress(now)
        case .fading(let end, let deadline):
            let heard = context.pointee.anchor.heard(at: now)
            // The fading sound may end before its fade does.
            let isOver = !context.pointee.renderer.hasFrames && heard >= Double(context.pointee.renderer.cursor)
            if isOver || heard >= Double(end) || now >= deadline { fadeEnded() }
        case .disconnecting(let deadline):
            if now >= deadline {
                end()
                emit(.closed(generation))
                return
            }
        case .corked: runWhenFed(now)
        case .unanswered, .corking, .ended: break
        }
        publish()
        if phase != .ended { timer.arm(nextDeadline(now)) }
    }

    private func checkProgress(_ now: MonotonicTime) {
        if let flushing, context.pointee.anchor.heard(at: now) >= Double(flushing.end) || now >= flushing.until {
            self.flushing = nil
            emit(.flushed(generation))
        }
        if timing.isStale(now, isRunning: context.pointee.anchor.isRunning), !isSuspended { requestTiming() }
        fillWhenDry()
        // Sound that fades out after a flush is obsolete: neither its start nor its end is reported.
        let (anchor, cursor) = (context.pointee.anchor, Double(context.pointee.renderer.cursor))
        let heard = anchor.heard(at: now)
        // Sounds shorter than the interval between two answers are reported as well.
        guard anchor.isRunning || heard >= cursor, flushing == nil else { return }
        announce(heard)
        // The end is estimated: an answer behind it confirms it.
        if anchor.isRunning, heard >= cursor, anchor.heard < cursor { requestTiming() }
    }

    private func announce(_ heard: Double) {
        let index = FrameCount(clamping: heard.rounded(.down))
        for change in sound.advance(to: index, context.pointee.renderer.map) {
            switch change {
            case .started: emit(.started(generation))
            case .ended: if !isDraining { emit(.underrun(generation)) }
            }
        }
        if isDraining, !context.pointee.renderer.hasFrames, heard >= Double(context.pointee.renderer.cursor) {
            drained()
            cork()
        }
    }

    func drained() {
        isDraining = false
        goal = .rest
        emit(.drained(generation))
    }

    private func nextDeadline(_ now: MonotonicTime) -> MonotonicTime? {
        switch phase {
        case .creating(let deadline), .disconnecting(let deadline): return deadline
        case .fading(let end, let deadline):
            return min(deadline, context.pointee.anchor.time(of: end) ?? deadline)
        case .corked: return mayRun && ring.unread > 0 ? gatherTime(now) : nil
        case .unanswered, .corking, .ended: return nil
        case .running: break
        }
        guard !isSuspended else { return flushing?.until }
        let anchor = context.pointee.anchor
        var deadline = anchor.isRunning ? timing.staleTime : timing.verificationTime(now)
        if let flushing {
            deadline = min(deadline, min(flushing.until, anchor.time(of: flushing.end) ?? flushing.until))
        }
        if wantedEffects != nil { deadline = min(deadline, effectsDue) }
        let heard = FrameCount(clamping: anchor.heard(at: now).rounded(.down))
        if let boundary = context.pointee.renderer.map.place(at: heard).boundary, let time = anchor.time(of: boundary) {
            deadline = min(deadline, time)
        }
        if context.pointee.renderer.holdsFrames, ring.unread > 0 { deadline = min(deadline, gatherTime(now)) }
        // The answer calls back by itself; only other causes are checked meanwhile.
        let pause = timing.isPending && deadline <= now ? 0.01 : 0.0003
        return max(deadline, now.advanced(bySeconds: pause))
    }

    /// Time of the next check whether the ring has enough frames to begin.
    private func gatherTime(_ now: MonotonicTime) -> MonotonicTime { now.advanced(bySeconds: 0.001) }

    /// The ring was empty: takes new frames, or requests a wake-up at the next write.
    private func fillWhenDry() {
        while context.pointee.isDry {
            if context.pointee.renderer.hasFrames {
                let cursor = context.pointee.renderer.cursor
                context.pointee.fill()
                // The frames are held back.
                if context.pointee.renderer.cursor == cursor { return }
            } else if isDraining || ring.requestFrames() {
                return
            }
        }
    }

    func safeIndex(_ now: MonotonicTime) -> FrameCount { context.pointee.anchor.safeIndex(at: now) }
}
