// SPDX-License-Identifier: Apache-2.0

import Audio
internal import CPulse
import Playback
import Kernel

/// The state of the write callback. It has a fixed address and is used through a raw pointer, so that rendering needs
/// no reference counting and no lock of ours. Mainloop thread only.
///
/// Writes seek relative to the server's write index, which only we move. The server then counts rewritten bytes and
/// gaps correctly in its requests; with absolute seeks it does not.
struct RenderContext {
    var renderer: StreamRenderer
    var anchor: ClockAnchor
    let stream: OpaquePointer
    let frameBytes: Int
    /// Whether the server may take frames: uncorked, and no fade-out has ended.
    var isRunning = false
    /// The next segment follows silence of our own: this number of its frames fades in.
    var nextFadeIn: FrameCount = 0
    /// After the fade-out is rendered, the ring's frames before this index are dropped.
    var dropsBefore: FrameCount?
    /// The stream corks after the fade-out: frames are dropped then, and those after them stay in the ring.
    var isEnding = false
    /// The last `fill` found fewer frames in the ring than it wanted, or too few to begin, or took the last one.
    private(set) var isDry = true
    /// No more frames will come: `fill` does not wait for more.
    var isDraining = false
    /// After silence, frames wait in the ring until there are enough for the sink not to run dry, or until this time.
    private(set) var gatherDeadline: MonotonicTime?
    /// The server's write index.
    private(set) var serverIndex: FrameCount = 0

    /// The write callback: the server requests frames. Its timing request leads back to the stream's object.
    mutating func serve() {
        fill()
        if let operation = pa_stream_update_timing_info(stream, nil, nil) { pa_operation_unref(operation) }
    }

    /// Queues the rewound frames again, exactly at their place. (`fill` would notice the elapsed time and leave a gap.)
    /// The first frames are written before the others are rendered, as the sink may take them at any moment.
    mutating func rewrite() {
        let running = isRunning
        isRunning = false
        fill(atMost: 1_024)
        fill()
        isRunning = running
    }

    /// Writes rendered frames to the server's queue: as many as it requested, replacing all stale ones. `frames` bounds
    /// the first write after uncorking, so that sound starts before the whole queue is filled.
    mutating func fill(atMost frames: FrameCount = .max) {
        if isRunning { placeFrames(now: .now) }
        let isFilled = write(atMost: frames)
        if let index = dropsBefore, renderer.isFadedOut, !isEnding {
            drop(before: index, at: renderer.cursor)
            gather()
        }
        // Frames that arrive during the call are in the ring by now, but they are not written.
        isDry = !isFilled || !renderer.hasFrames || renderer.holdsFrames
    }

    /// The ring's frames from `index` on follow next, at `streamIndex`.
    mutating func drop(before index: FrameCount, at streamIndex: FrameCount) {
        dropsBefore = nil
        renderer.skip(to: index)
        nextFadeIn = max(nextFadeIn, renderer.fadeFrames)
        renderer.beginSegment(at: streamIndex, fadingIn: nextFadeIn)
    }

    /// Returns false if the ring had too few frames.
    private mutating func write(atMost frames: FrameCount) -> Bool {
        let writable = pa_stream_writable_size(stream)
        guard writable != Int.max, writable < 1 << 40 else { return true }
        var target = max(renderer.queueEnd, serverIndex + FrameCount(writable / frameBytes))
        if frames < target - renderer.writeIndex { target = renderer.writeIndex + frames }
        while renderer.writeIndex < target {
            var memory: UnsafeMutableRawPointer?
            var bytes = Int(target - renderer.writeIndex) * frameBytes
            guard pa_stream_begin_write(stream, &memory, &bytes) == 0, let memory else { return true }
            let start = renderer.writeIndex
            let room = min(bytes / frameBytes, Int(target - start))
            let count = renderer.produce(into: memory.assumingMemoryBound(to: Float.self), frames: room)
            guard count > 0 else {
                pa_stream_cancel_write(stream)
                return false
            }
            let offset = (start - serverIndex) * FrameCount(frameBytes)
            guard pa_stream_write(stream, memory, count * frameBytes, nil, offset, PA_SEEK_RELATIVE) == 0 else {
                return true
            }
            serverIndex = start + FrameCount(count)
        }
        return renderer.cursor >= target
    }

    /// Until `hasEnough`, `fill` does not read the ring.
    @_noLocks @_noAllocation
    mutating func gather() {
        renderer.holdsFrames = true
        gatherDeadline = nil
    }

    /// Whether the ring has as many frames as the sink may take at once, or has waited long enough for more: beginning
    /// with fewer would leave a gap after the first frames.
    mutating func hasEnough(now: MonotonicTime) -> Bool {
        let deadline = gatherDeadline ?? now.advanced(bySeconds: 0.015)
        gatherDeadline = deadline
        return isDraining || now >= deadline
            || renderer.unreadFrames >= FrameCount(clamping: (anchor.sinkLatency + 0.025) * Double(anchor.sampleRate))
    }

    /// New frames follow the last ones, or begin at the first safe index if the sink may have passed that place.
    private mutating func placeFrames(now: MonotonicTime) {
        guard renderer.hasFrames else { return }
        let safe = anchor.safeIndex(at: now)
        renderer.rewindPadded(to: safe)
        // A fade-out that comes too late is left out.
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
