// SPDX-License-Identifier: Apache-2.0

import Audio

/// Decides what lies at each index of the stream: ring frames with gains and fades, or silence.
///
/// Pure: it knows neither PulseAudio nor time. Its owner tells it from which index on the sink has not taken anything
/// (`rewind`, `fadeOut`, `beginSegment`) and carries what `produce` gives to the index `writeIndex` had before.
/// Everything is a function of the stream index, so what is queued in the server can be rendered again at will.
struct StreamRenderer {
    /// The owner keeps the ring alive; unmanaged because rendering must not touch reference counts.
    private let ring: Unmanaged<FrameRing>
    private let channelCount: Int
    /// Per channel: 0 left, 1 right, 2 any other.
    private let sides: InlineArray<8, UInt8>
    let fadeFrames: FrameCount

    private(set) var map = SegmentMap()
    var ramp: StreamGainRamp
    /// Beside `ramp`, and multiplied with it.
    var ducking: StreamGainRamp
    /// Where the next ring frame will lie; the end of the last segment.
    private(set) var cursor: FrameCount = 0
    /// Where the next produced frame lies; ahead of `cursor` when silence covers what the server still holds.
    private(set) var writeIndex: FrameCount = 0
    /// Behind the last frame that the server holds of us.
    private(set) var queueEnd: FrameCount = 0
    /// Where the running fade-out ends; no frame is rendered behind it until a new segment begins.
    private(set) var fadeOutEnd: FrameCount?
    private var fadeOutStart: FrameCount = 0
    private var fadesIn = false
    /// Ring frames stay where they are: `produce` brings only silence over what is stale.
    var holdsFrames = false

    init(ring: FrameRing, ramp: StreamGainRamp, ducking: StreamGainRamp = StreamGainRamp(.unity)) {
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

    /// Whether there are ring frames to come.
    var hasFrames: Bool {
        @_noLocks @_noAllocation get { fadeOutEnd == nil && unreadFrames > 0 }
    }

    var unreadFrames: FrameCount {
        @_noLocks @_noAllocation get { ring._withUnsafeGuaranteedRef { $0.writeIndex - $0.readIndex } }
    }

    /// The next ring frames lie at `index` and after it.
    @_noLocks @_noAllocation
    mutating func beginSegment(at index: FrameCount, fadingIn: Bool) {
        map.append(
            StreamSegment(start: index, frames: 0, ringStart: ring._withUnsafeGuaranteedRef { $0.readIndex }))
        cursor = index
        writeIndex = index
        fadesIn = fadingIn
        fadeOutEnd = nil
    }

    /// The ring frame that lies at `index`, or the next one to be rendered when none does.
    func ringIndex(at index: FrameCount) -> FrameCount {
        map.last.ringStart + max(0, min(index - map.last.start, map.last.frames))
    }

    /// Goes on at the end of the last segment, over any silence that was put behind it.
    @_noLocks @_noAllocation
    mutating func continueSegment() {
        writeIndex = cursor
    }

    /// Takes back the frames at and after `index`, as far as the last segment reaches, to be rendered again.
    @_noLocks @_noAllocation
    mutating func rewind(to index: FrameCount) {
        let target = max(index, map.last.start)
        guard target < cursor else { return }
        let frames = ring._withUnsafeGuaranteedRef { $0.rewind(Int(cursor - target)) }
        cursor -= FrameCount(frames)
        writeIndex = cursor
        map.setLastFrames(cursor - map.last.start)
    }

    /// Lets what sounds at `index` fade out; frames from ring index `limit` on are not used for it.
    /// Nothing fades when the frames end before `index`. `fadeOutEnd` then tells where it ends.
    @_noLocks @_noAllocation
    mutating func fadeOut(from index: FrameCount, limit: FrameCount) {
        guard fadeOutEnd == nil else { return }
        let began = map.last.start < index
        rewind(to: index)
        let ringIndex = map.last.ringStart + map.last.frames
        let available = ring._withUnsafeGuaranteedRef { min($0.writeIndex, limit) } - ringIndex
        fadeOutStart = cursor
        fadeOutEnd = cursor + (began && cursor >= index ? max(0, min(fadeFrames, available)) : 0)
    }

    /// Drops the unread frames before `index`; `beginSegment` must follow.
    @_noLocks @_noAllocation
    mutating func skip(to index: FrameCount) {
        ring._withUnsafeGuaranteedRef { $0.skip(to: index) }
    }

    /// Lets the ring's frames come `frames` earlier from `cursor` on, fading in: as many are left out, or come again when
    /// it is negative. Bounded by what the ring can give back, and by `spare`, which stays to be read.
    @_noLocks @_noAllocation
    mutating func shift(by frames: FrameCount, spare: FrameCount) {
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
    mutating func produce(into samples: UnsafeMutablePointer<Float>, frames: Int) -> Int {
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
        let count = ring._withUnsafeGuaranteedRef { $0.read(into: samples, frames: wanted) }
        shape(samples, frames: count)
        cursor += FrameCount(count)
        map.setLastFrames(cursor - map.last.start)
        return count
    }

    @_noLocks @_noAllocation
    private func shape(_ samples: UnsafeMutablePointer<Float>, frames: Int) {
        let fadesInHere = fadesIn && cursor < map.last.start + fadeFrames
        let steady = ramp.isSteady(from: cursor) && ducking.isSteady(from: cursor)
        if steady, !fadesInHere, fadeOutEnd == nil {
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
            let envelope = envelope(at: index) * ducking.gains(at: index).other
            for channel in 0..<channelCount {
                samples[position] *= factor(gains, channel) * envelope
                position += 1
            }
        }
    }

    @_noLocks @_noAllocation
    private func envelope(at index: FrameCount) -> Float {
        var value: Float = 1
        if fadesIn { value = min(1, Float(index - map.last.start) / Float(fadeFrames)) }
        if let fadeOutEnd, index >= fadeOutStart {
            value *= Float(fadeOutEnd - index) / Float(max(1, fadeOutEnd - fadeOutStart))
        }
        return value
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
