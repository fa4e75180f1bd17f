// SPDX-License-Identifier: Apache-2.0

public import Audio

/// Renders the frame at each index of the stream: a ring frame with effects, gains and fades, or silence.
///
/// Pure: it knows neither a sink nor time. Its owner passes the first index that the sink has not taken (`rewind`,
/// `fadeOut`, `beginSegment`), and writes the result of `produce` at the index that `writeIndex` had before. Everything
/// is a function of the stream index, so queued frames can be rendered again at any time.
public struct StreamRenderer {
    /// The owner keeps the ring alive. Unmanaged, because rendering must not touch reference counts.
    private let ring: Unmanaged<FrameRing>
    private var stage: Unmanaged<EffectStage>?
    private var tap: Unmanaged<TapRing>?
    private let channelCount: Int
    /// Per channel: 0 left, 1 right, 2 any other.
    private let sides: InlineArray<8, UInt8>
    public let fadeFrames: FrameCount

    public private(set) var map = SegmentMap()
    public var gains: StreamGains
    /// The stream index of the next ring frame; the end of the last segment.
    public private(set) var cursor: FrameCount = 0
    /// The stream index of the next produced frame; after `cursor` when silence covers frames that the server holds.
    public private(set) var writeIndex: FrameCount = 0
    /// The index after the last of our frames at the server.
    public private(set) var queueEnd: FrameCount = 0
    /// The end of the running fade-out; no frame after it is rendered until a new segment starts.
    public private(set) var fadeOutEnd: FrameCount?
    private var fade = StreamFade.none
    /// The ring index from which the last segment uses no frame.
    private var limit = FrameCount.max
    /// Ring frames stay unread: `produce` only writes silence over stale frames.
    public var holdsFrames = false

    public init(ring: FrameRing, gains: StreamGains = StreamGains()) {
        self.ring = .passUnretained(ring)
        let positions = ring.format.layout.positions
        channelCount = positions.count
        var sides = InlineArray<8, UInt8>(repeating: 2)
        for (channel, position) in positions.enumerated() {
            switch position {
            case .frontLeft, .rearLeft, .sideLeft: sides[channel] = 0
            case .frontRight, .rearRight, .sideRight: sides[channel] = 1
            default: sides[channel] = 2
            }
        }
        self.sides = sides
        fadeFrames = ring.format.frames(0.005)
        self.gains = gains.continued(from: 0, newRate: ring.format.sampleRate)
        map.append(StreamSegment(start: 0, frames: 0, ringStart: ring.readIndex))
    }

    /// Inserts effects between ring and gains, from the next frame on; nil removes them. The owner keeps the stage alive.
    public mutating func use(_ stage: EffectStage?) {
        self.stage = stage.map { .passUnretained($0) }
    }

    /// Also copies the next frames, before gains and fades, to the tap. The owner keeps it alive.
    public mutating func use(_ tap: TapRing?) {
        self.tap = tap.map { .passUnretained($0) }
    }

    /// More ring frames can be rendered.
    public var hasFrames: Bool {
        @_noLocks @_noAllocation get { !isFadedOut && unreadFrames > 0 }
    }

    public var isFadedOut: Bool {
        @_noLocks @_noAllocation get {
            guard let fadeOutEnd else { return false }
            return cursor >= fadeOutEnd
        }
    }

    public var unreadFrames: FrameCount {
        @_noLocks @_noAllocation get { ring._withUnsafeGuaranteedRef { $0.writeIndex - $0.readIndex } }
    }

    /// Places the next ring frames at `index`; the first `frames` of them fade in.
    @_noLocks @_noAllocation
    public mutating func beginSegment(at index: FrameCount, fadingIn frames: FrameCount) {
        map.append(StreamSegment(start: index, frames: 0, ringStart: ring._withUnsafeGuaranteedRef { $0.readIndex }))
        cursor = index
        writeIndex = index
        fade = frames > 0 ? StreamFade(from: 0, to: 1, start: index, length: frames) : .none
        fadeOutEnd = nil
        setLimit(.max)
    }

    /// The ring index of the frame at `index`, or of the next frame to render if none is there.
    public func ringIndex(at index: FrameCount) -> FrameCount {
        map.last.ringStart + max(0, min(index - map.last.start, map.last.frames))
    }

    /// Continues at the end of the last segment, over any silence after it.
    @_noLocks @_noAllocation
    public mutating func continueSegment() {
        writeIndex = cursor
    }

    /// Takes back the frames from `index` on, within the last segment, to render them again.
    @_noLocks @_noAllocation
    public mutating func rewind(to index: FrameCount) {
        let target = max(index, map.last.start)
        guard target < cursor else { return }
        let frames = ring._withUnsafeGuaranteedRef { $0.rewind(Int(cursor - target)) }
        cursor -= FrameCount(frames)
        writeIndex = cursor
        map.setLastFrames(cursor - map.last.start)
    }

    /// Fades out from `index` on, over `fadeFrames` or `frames`, starting with the present gain, and using no ring frame
    /// from `limit` on. There is no fade if the frames end before `index`. Sets `fadeOutEnd`. A running fade-out
    /// continues unless it ends later than this one.
    @_noLocks @_noAllocation
    public mutating func fadeOut(from index: FrameCount, limit: FrameCount, over frames: FrameCount = 0) {
        let length = max(fadeFrames, frames)
        if let fadeOutEnd, fadeOutEnd <= index + length { return }
        let began = map.last.start < index
        rewind(to: index)
        let ringIndex = map.last.ringStart + map.last.frames
        let limit = min(limit, self.limit)
        // The frames of a long fade may not be written yet.
        let written = length > fadeFrames ? .max : ring._withUnsafeGuaranteedRef { $0.writeIndex }
        let faded = began && cursor >= index ? max(0, min(length, min(written, limit) - ringIndex)) : 0
        setLimit(limit)
        fade = StreamFade(from: fade.gain(at: cursor), to: 0, start: cursor, length: faded)
        fadeOutEnd = cursor + faded
    }

    /// Cancels a fade-out from `index` on: the gain rises from its present value, over `frames`. Returns false, without a
    /// change, if too little of the fade-out is left, or if other frames follow it.
    @_noLocks @_noAllocation
    public mutating func fadeIn(from index: FrameCount, over frames: FrameCount) -> Bool {
        guard let fadeOutEnd, limit == .max, index + fadeFrames < fadeOutEnd else { return false }
        rewind(to: index)
        fade = StreamFade(from: fade.gain(at: cursor), to: 1, start: cursor, length: max(fadeFrames, frames))
        self.fadeOutEnd = nil
        return true
    }

    /// Ends a fade-out for lack of frames.
    @_noLocks @_noAllocation
    public mutating func endFadeOut() {
        if let fadeOutEnd { self.fadeOutEnd = min(fadeOutEnd, cursor) }
    }

    /// The gains of the frames that follow in another stream, after silence.
    public var remainingGains: StreamGains { gains.continued(from: cursor) }

    /// Silence precedes the next frames.
    public mutating func settle() { gains.settle(at: cursor) }

    /// The next frames, after silence, begin an item: the ring's frames before them are forgotten.
    public mutating func beginItem() {
        settle()
        ring._withUnsafeGuaranteedRef { $0.skip(to: $0.readIndex) }
    }

    /// Drops the unread frames before `index`. `beginSegment` must follow.
    @_noLocks @_noAllocation
    public mutating func skip(to index: FrameCount) {
        let isAhead = ring._withUnsafeGuaranteedRef { ring in
            defer { ring.skip(to: index) }
            return index > ring.readIndex
        }
        guard isAhead else { return }
        if let stage { stage._withUnsafeGuaranteedRef { $0.beginRun() } }
        if let tap { tap._withUnsafeGuaranteedRef { $0.beginRun() } }
    }

    /// Replaces frames of the ring and renders the frames from `index` on again. Frames within the effects' look-ahead
    /// are not replaced. Takes the ring's lock: must not be called while rendering.
    public mutating func splice(_ splice: RingSplice, from index: FrameCount) {
        let ahead = FrameCount(EffectChain.lookAhead + EffectChain.quantum)
        if ringIndex(at: index) + ahead <= splice.index { rewind(to: index) }
        let first = max(ringIndex(at: index), ring._withUnsafeGuaranteedRef { $0.readIndex }) + ahead
        ring._withUnsafeGuaranteedRef { splice.perform(in: $0, notBefore: first) }
    }

    /// Takes back, from `index` on, the frames that were rendered as the last ones although others follow by now.
    @_noLocks @_noAllocation
    public mutating func rewindPadded(to index: FrameCount) {
        guard let frames = stage?._withUnsafeGuaranteedRef({ $0.paddedFrames }), frames > 0 else { return }
        rewind(to: max(index, cursor - frames))
    }

    /// Shifts the ring's frames by `frames` from `cursor` on, earlier if positive, with a fade-in: skips or repeats
    /// frames. Limited by the frames that the ring retains, and by `spare`, which must remain unread.
    @_noLocks @_noAllocation
    public mutating func shift(by frames: FrameCount, spare: FrameCount) {
        ring._withUnsafeGuaranteedRef { ring in
            if frames < 0 {
                _ = ring.rewind(Int(-frames))
            } else {
                ring.skip(to: ring.readIndex + min(frames, max(0, ring.writeIndex - ring.readIndex - spare)))
            }
        }
        beginSegment(at: cursor, fadingIn: fadeFrames)
    }

    /// Writes up to `frames` frames for `writeIndex` to `samples`: ring frames, then silence over stale frames.
    @_noLocks @_noAllocation
    public mutating func produce(into samples: UnsafeMutablePointer<Float>, frames: Int) -> Int {
        var done = 0
        if writeIndex == cursor, !holdsFrames {
            done = renderFrames(into: samples, frames: frames)
            writeIndex += FrameCount(done)
        }
        let stale = min(frames - done, Int(queueEnd - writeIndex))
        if stale > 0 {
            (samples + done * channelCount).update(repeating: 0, count: stale * channelCount)
            writeIndex += FrameCount(stale)
            done += stale
        }
        queueEnd = max(queueEnd, writeIndex)
        return done
    }

    @_noLocks @_noAllocation
    private mutating func renderFrames(into samples: UnsafeMutablePointer<Float>, frames: Int) -> Int {
        let wanted = fadeOutEnd.map { min(frames, max(0, Int($0 - cursor))) } ?? frames
        guard wanted > 0 else { return 0 }
        let index = ring._withUnsafeGuaranteedRef { $0.readIndex }
        let count = read(into: samples, frames: wanted)
        if let tap { tap._withUnsafeGuaranteedRef { $0.write(samples, at: index, frames: count) } }
        shape(samples, frames: count)
        cursor += FrameCount(count)
        map.setLastFrames(cursor - map.last.start)
        return count
    }

    @_noLocks @_noAllocation
    private func read(into samples: UnsafeMutablePointer<Float>, frames: Int) -> Int {
        if let stage { return stage._withUnsafeGuaranteedRef { $0.read(into: samples, frames: frames) } }
        return ring._withUnsafeGuaranteedRef { $0.read(into: samples, frames: frames) }
    }

    @_noLocks @_noAllocation
    private mutating func setLimit(_ limit: FrameCount) {
        self.limit = limit
        if let stage { stage._withUnsafeGuaranteedRef { $0.setLimit(limit) } }
    }

    @_noLocks @_noAllocation
    private func shape(_ samples: UnsafeMutablePointer<Float>, frames: Int) {
        if gains.isSteady(from: cursor), fade.isUnity(from: cursor) {
            let product = gains.product(at: cursor)
            // A factor of exactly 1 must not touch the samples: this is the bit-exact path.
            if product.left == 1, product.right == 1, product.other == 1 { return }
            for channel in 0..<channelCount {
                let gain = factor(product, channel)
                var position = channel
                for _ in 0..<frames {
                    samples[position] *= gain
                    position += channelCount
                }
            }
            return
        }
        var position = 0
        for frame in 0..<frames {
            let index = cursor + FrameCount(frame)
            let (product, envelope) = (gains.product(at: index), fade.gain(at: index))
            for channel in 0..<channelCount {
                samples[position] *= factor(product, channel) * envelope
                position += 1
            }
        }
    }

    @_noLocks @_noAllocation
    private func factor(_ gains: ChannelGains, _ channel: Int) -> Float {
        switch sides[channel] {
        case 0: gains.left
        case 1: gains.right
        default: gains.other
        }
    }
}
