// SPDX-License-Identifier: Apache-2.0

public import Audio

/// Decides what lies at each index of the stream: ring frames with effects, gains and fades, or silence.
///
/// Pure: it knows neither a sink nor time. Its owner passes the index from which on the sink has not taken anything
/// (`rewind`, `fadeOut`, `beginSegment`) and carries what `produce` gives to the index `writeIndex` had before.
/// Everything is a function of the stream index, so what is queued in the server can be rendered again at will.
public struct StreamRenderer {
    /// The owner keeps the ring alive; unmanaged because rendering must not touch reference counts.
    private let ring: Unmanaged<FrameRing>
    private var stage: Unmanaged<EffectStage>?
    private var tap: Unmanaged<TapRing>?
    private let channelCount: Int
    /// Per channel: 0 left, 1 right, 2 any other.
    private let sides: InlineArray<8, UInt8>
    public let fadeFrames: FrameCount

    public private(set) var map = SegmentMap()
    public var ramp: StreamGainRamp
    /// Beside `ramp`, and multiplied with it.
    public var ducking: StreamGainRamp
    /// Where the next ring frame will lie; the end of the last segment.
    public private(set) var cursor: FrameCount = 0
    /// Where the next produced frame lies; ahead of `cursor` when silence covers what the server still holds.
    public private(set) var writeIndex: FrameCount = 0
    /// Behind the last frame that the server holds of us.
    public private(set) var queueEnd: FrameCount = 0
    /// Where the running fade-out ends; no frame is rendered behind it until a new segment begins.
    public private(set) var fadeOutEnd: FrameCount?
    private var fade = StreamFade.none
    /// Ring index from which on no frame is used in the last segment.
    private var limit = FrameCount.max
    /// Ring frames stay where they are: `produce` brings only silence over what is stale.
    public var holdsFrames = false

    public init(ring: FrameRing, ramp: StreamGainRamp, ducking: StreamGainRamp = StreamGainRamp(.unity)) {
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
        self.ramp = ramp
        self.ducking = ducking
        map.append(StreamSegment(start: 0, frames: 0, ringStart: ring.readIndex))
    }

    /// Puts effects between ring and gains, from the next frame on; nil takes them out. The owner keeps the stage alive.
    public mutating func use(_ stage: EffectStage?) {
        self.stage = stage.map { .passUnretained($0) }
    }

    /// Copies what comes next, as it is before gains and fades, into the tap as well. The owner keeps it alive.
    public mutating func use(_ tap: TapRing?) {
        self.tap = tap.map { .passUnretained($0) }
    }

    /// Whether there are ring frames to come.
    public var hasFrames: Bool {
        @_noLocks @_noAllocation get { !isFadedOut && unreadFrames > 0 }
    }

    /// The fade-out was rendered to its end.
    public var isFadedOut: Bool {
        @_noLocks @_noAllocation get {
            guard let fadeOutEnd else { return false }
            return cursor >= fadeOutEnd
        }
    }

    public var unreadFrames: FrameCount {
        @_noLocks @_noAllocation get { ring._withUnsafeGuaranteedRef { $0.writeIndex - $0.readIndex } }
    }

    /// The next ring frames lie at `index` and after it.
    @_noLocks @_noAllocation
    public mutating func beginSegment(at index: FrameCount, fadingIn: Bool) {
        beginSegment(at: index, fadingIn: fadingIn ? fadeFrames : 0)
    }

    /// The next ring frames lie at `index` and after it, the first `frames` of them fading in.
    @_noLocks @_noAllocation
    public mutating func beginSegment(at index: FrameCount, fadingIn frames: FrameCount) {
        map.append(
            StreamSegment(start: index, frames: 0, ringStart: ring._withUnsafeGuaranteedRef { $0.readIndex }))
        cursor = index
        writeIndex = index
        fade = frames > 0 ? StreamFade(from: 0, to: 1, start: index, length: frames) : .none
        fadeOutEnd = nil
        setLimit(.max)
    }

    /// The ring frame that lies at `index`, or the next one to be rendered when none does.
    public func ringIndex(at index: FrameCount) -> FrameCount {
        map.last.ringStart + max(0, min(index - map.last.start, map.last.frames))
    }

    /// Goes on at the end of the last segment, over any silence that was put behind it.
    @_noLocks @_noAllocation
    public mutating func continueSegment() {
        writeIndex = cursor
    }

    /// Takes back the frames at and after `index`, as far as the last segment reaches, to be rendered again.
    @_noLocks @_noAllocation
    public mutating func rewind(to index: FrameCount) {
        let target = max(index, map.last.start)
        guard target < cursor else { return }
        let frames = ring._withUnsafeGuaranteedRef { $0.rewind(Int(cursor - target)) }
        cursor -= FrameCount(frames)
        writeIndex = cursor
        map.setLastFrames(cursor - map.last.start)
    }

    /// Lets what sounds at `index` fade out, over `fadeFrames` or `frames`, from the gain that it has there; frames from ring
    /// index `limit` on are not used for it. Nothing fades when the frames end before `index`. `fadeOutEnd` is its end.
    /// A fade-out that runs goes on unless it ends later than this one.
    @_noLocks @_noAllocation
    public mutating func fadeOut(from index: FrameCount, limit: FrameCount, over frames: FrameCount = 0) {
        let length = max(fadeFrames, frames)
        if let fadeOutEnd, fadeOutEnd <= index + length { return }
        let began = map.last.start < index
        rewind(to: index)
        let ringIndex = map.last.ringStart + map.last.frames
        let limit = min(limit, self.limit)
        // Frames for a long fade may still be written.
        let written = length > fadeFrames ? .max : ring._withUnsafeGuaranteedRef { $0.writeIndex }
        let faded = began && cursor >= index ? max(0, min(length, min(written, limit) - ringIndex)) : 0
        setLimit(limit)
        fade = StreamFade(from: fade.gain(at: cursor), to: 0, start: cursor, length: faded)
        fadeOutEnd = cursor + faded
    }

    /// Takes back a fade-out from `index` on: the gain rises from where it is there, over `frames`.
    /// False, and nothing changes, when too little of the fade-out is left, or when other frames follow it.
    @_noLocks @_noAllocation
    public mutating func fadeIn(from index: FrameCount, over frames: FrameCount) -> Bool {
        guard let fadeOutEnd, limit == .max, index + fadeFrames < fadeOutEnd else { return false }
        rewind(to: index)
        fade = StreamFade(from: fade.gain(at: cursor), to: 1, start: cursor, length: max(fadeFrames, frames))
        self.fadeOutEnd = nil
        return true
    }

    /// Nothing is left to fade out.
    @_noLocks @_noAllocation
    public mutating func endFadeOut() {
        if let fadeOutEnd { self.fadeOutEnd = min(fadeOutEnd, cursor) }
    }

    /// Drops the unread frames before `index`; `beginSegment` must follow.
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

    /// Replaces frames of the ring. Those from `index` on are rendered again. Frames within the effects' look-ahead are not
    /// replaced. Not while rendering: it takes the ring's lock.
    public mutating func splice(_ splice: RingSplice, from index: FrameCount) {
        let ahead = FrameCount(EffectChain.lookAhead + EffectChain.quantum)
        if ringIndex(at: index) + ahead <= splice.index { rewind(to: index) }
        let first = max(ringIndex(at: index), ring._withUnsafeGuaranteedRef { $0.readIndex }) + ahead
        ring._withUnsafeGuaranteedRef { splice.perform(in: $0, notBefore: first) }
    }

    /// Takes back, from `index` on, the frames that were rendered as the last ones although others have come since.
    @_noLocks @_noAllocation
    public mutating func rewindPadded(to index: FrameCount) {
        guard let frames = stage?._withUnsafeGuaranteedRef({ $0.paddedFrames }), frames > 0 else { return }
        rewind(to: max(index, cursor - frames))
    }

    /// Lets the ring's frames come `frames` earlier from `cursor` on, fading in: as many are left out, or come again when
    /// it is negative. Bounded by what the ring can give back, and by `spare`, which stays to be read.
    @_noLocks @_noAllocation
    public mutating func shift(by frames: FrameCount, spare: FrameCount) {
        ring._withUnsafeGuaranteedRef { ring in
            if frames < 0 {
                _ = ring.rewind(Int(-frames))
            } else {
                ring.skip(to: ring.readIndex + min(frames, max(0, ring.writeIndex - ring.readIndex - spare)))
            }
        }
        beginSegment(at: cursor, fadingIn: true)
    }

    /// Puts up to `frames` frames for `writeIndex` into `samples`: ring frames, then silence over what is stale.
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
        let steady = ramp.isSteady(from: cursor) && ducking.isSteady(from: cursor)
        if steady, fade.isUnity(from: cursor) {
            // A factor of exactly 1 must not even touch the samples: this is the bit-exact path.
            if ramp.isUnity(from: cursor), ducking.isUnity(from: cursor) { return }
            for channel in 0..<channelCount {
                let gain = factor(ramp.to, channel) * factor(ducking.to, channel)
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
            let gains = ramp.gains(at: index)
            let envelope = fade.gain(at: index) * ducking.gains(at: index).other
            for channel in 0..<channelCount {
                samples[position] *= factor(gains, channel) * envelope
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
