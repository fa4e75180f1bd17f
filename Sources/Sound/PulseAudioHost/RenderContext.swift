// SPDX-License-Identifier: Apache-2.0

import Audio
internal import CPulse
import Playback
import Kernel

/// The state of the write callback. It lives at a fixed address and is reached by raw pointer, so that rendering
/// touches no reference count and no lock of ours. Mainloop thread only.
///
/// Writes use relative seeks from the server's write index, which only we move: the server then counts rewritten
/// bytes and gaps as requested, and its requests stay right (with absolute seeks they do not).
struct RenderContext {
    var renderer: StreamRenderer
    var anchor: ClockAnchor
    let stream: OpaquePointer
    let frameBytes: Int
    /// Whether the server may take frames: uncorked, and no fade-out has ended them.
    var isRunning = false
    /// The next segment comes after silence that we made: so many of its frames fade in.
    var nextFadeIn: FrameCount = 0
    /// Once the fade-out is rendered, the ring's frames before this index are dropped.
    var dropsBefore: FrameCount?
    /// The last `fill` found no more frames in the ring, or too few to begin with.
    private(set) var isDry = true
    /// No more frames come: what there is need not wait for company.
    var isDraining = false
    /// After silence, frames wait in the ring until the sink will not run dry on the first of them, or until this time.
    private(set) var gatherDeadline: MonotonicTime?
    /// Where the server's write index stands.
    private var serverIndex: FrameCount = 0

    init(renderer: StreamRenderer, anchor: ClockAnchor, stream: OpaquePointer, frameBytes: Int) {
        self.renderer = renderer
        self.anchor = anchor
        self.stream = stream
        self.frameBytes = frameBytes
    }

    /// The server asks for frames: the write callback. Its answer about the time leads back to the stream's object.
    mutating func serve() {
        fill()
        if let operation = pa_stream_update_timing_info(stream, nil, nil) { pa_operation_unref(operation) }
    }

    /// Queues what was taken back, exactly where it was. (`fill` would see that time has passed and leave a gap.)
    /// The first frames go before the others are rendered: the sink may take them any moment.
    mutating func rewrite() {
        let running = isRunning
        isRunning = false
        fill(atMost: 1_024)
        fill()
        isRunning = running
    }

    /// Puts what is rendered into the server's queue, up to what it asked for and over all that is stale.
    /// `frames` bounds the first write after uncorking, so that sound starts before the whole queue is filled.
    mutating func fill(atMost frames: FrameCount = .max) {
        if isRunning { placeFrames(now: .now) }
        write(atMost: frames)
        if let index = dropsBefore, renderer.isFadedOut {
            drop(before: index, at: renderer.cursor)
            gather()
        }
        isDry = !renderer.hasFrames || renderer.holdsFrames
    }

    /// The ring's frames from `index` on come next, at `streamIndex`.
    mutating func drop(before index: FrameCount, at streamIndex: FrameCount) {
        dropsBefore = nil
        renderer.skip(to: index)
        nextFadeIn = max(nextFadeIn, renderer.fadeFrames)
        renderer.beginSegment(at: streamIndex, fadingIn: nextFadeIn)
    }

    private mutating func write(atMost frames: FrameCount) {
        let writable = pa_stream_writable_size(stream)
        guard writable != Int.max, writable < 1 << 40 else { return }
        var target = max(renderer.queueEnd, serverIndex + FrameCount(writable / frameBytes))
        if frames < target - renderer.writeIndex { target = renderer.writeIndex + frames }
        while renderer.writeIndex < target {
            var memory: UnsafeMutableRawPointer?
            var bytes = Int(target - renderer.writeIndex) * frameBytes
            guard pa_stream_begin_write(stream, &memory, &bytes) == 0, let memory else { return }
            let start = renderer.writeIndex
            let room = min(bytes / frameBytes, Int(target - start))
            let count = renderer.produce(into: memory.assumingMemoryBound(to: Float.self), frames: room)
            guard count > 0 else {
                pa_stream_cancel_write(stream)
                return
            }
            let offset = (start - serverIndex) * FrameCount(frameBytes)
            guard pa_stream_write(stream, memory, count * frameBytes, nil, offset, PA_SEEK_RELATIVE) == 0 else {
                return
            }
            serverIndex = start + FrameCount(count)
        }
    }

    /// Until `hasEnough`, `fill` leaves the ring's frames alone.
    @_noLocks @_noAllocation
    mutating func gather() {
        renderer.holdsFrames = true
        gatherDeadline = nil
    }

    /// Whether the ring holds as much as the sink may take at once, or has waited for more long enough: beginning with
    /// less would leave a gap right behind the first frames.
    mutating func hasEnough(now: MonotonicTime) -> Bool {
        let deadline = gatherDeadline ?? now.advanced(bySeconds: 0.015)
        gatherDeadline = deadline
        return isDraining || now >= deadline
            || renderer.unreadFrames >= FrameCount(clamping: (anchor.sinkLatency + 0.025) * Double(anchor.sampleRate))
    }

    /// New frames go where the last ones ended, or, when the sink may be past that, to the first safe index.
    private mutating func placeFrames(now: MonotonicTime) {
        guard renderer.hasFrames else { return }
        let safe = anchor.safeIndex(at: now)
        renderer.rewindPadded(to: safe)
        // What fades out and comes too late is not missed.
        if renderer.fadeOutEnd != nil, renderer.cursor < safe { return renderer.endFadeOut() }
        if renderer.cursor < safe, !renderer.holdsFrames { gather() }
        if renderer.holdsFrames {
            guard hasEnough(now: now) else { return }
            renderer.holdsFrames = false
        }
        if renderer.cursor >= safe {
            renderer.continueSegment()
        } else {
            let fadesIn = nextFadeIn > 0 || renderer.map.last.frames > 0
            renderer.beginSegment(at: safe, fadingIn: fadesIn ? max(nextFadeIn, renderer.fadeFrames) : 0)
            nextFadeIn = 0
        }
    }
}
