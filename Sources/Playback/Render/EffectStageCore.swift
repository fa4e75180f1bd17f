// SPDX-License-Identifier: Apache-2.0

internal import Audio

/// The state of an `EffectStage`. The chain takes 64 frames at a time, on a grid that starts with the run, so the output
/// depends neither on the size nor on the number of calls.
struct EffectStageCore {
    private static var quantum: Int {
        @_noLocks @_noAllocation get { EffectChain.quantum }
    }
    private static var lookAhead: FrameCount {
        @_noLocks @_noAllocation get { FrameCount(EffectChain.lookAhead) }
    }

    /// The owner keeps it alive.
    private let ring: Unmanaged<FrameRing>
    private let channels: Int
    private let chain: UnsafeMutablePointer<EffectChain>
    /// One quantum each.
    private let input: UnsafeMutablePointer<Float>
    private let output: UnsafeMutablePointer<Float>
    private let neutral: EffectParameters
    private var checkpoints = CheckpointRing()
    /// Before the chain; the second one is for padded frames. Allocated on demand.
    private var reverb: UnsafeMutablePointer<Reverb>?
    /// After the chain; allocated on demand.
    private var delay: DelayLine?
    /// Frames between two checkpoints: 21 ms.
    private let spacing: FrameCount
    private let warming: FrameCount

    var wanted: EffectParameters
    var loudness: LoudnessCourse
    var limit = FrameCount.max
    var padsEnd = true
    /// The next read starts a run, with the wanted parameters from its first frame on.
    var startsRun: Bool
    private(set) var isEngaged = false
    /// Ring index of the run's first frame. Earlier frames are the ring's, unchanged.
    private var runStart: FrameCount = 0
    /// Ring index of the chain's next input frame.
    private var head: FrameCount = 0
    /// `output` holds the result of the last quantum.
    private var hasOutput = false
    /// The index since which the chain's output equals its input.
    private var transparentSince: FrameCount?
    private var padded: (start: FrameCount, written: FrameCount)?

    init(ring: FrameRing, wanted: EffectParameters, loudness: LoudnessCourse, startsRun: Bool) {
        self.ring = .passUnretained(ring)
        self.wanted = wanted
        self.loudness = loudness
        self.startsRun = startsRun
        channels = ring.format.channelCount
        neutral = EffectParameters(.off, format: ring.format, number: 0)
        let samples = Self.quantum * ring.format.channelCount
        input = .allocate(capacity: samples)
        output = .allocate(capacity: samples)
        // The second one is for padded frames.
        chain = .allocate(capacity: 2)
        chain.initialize(repeating: EffectChain(neutral), count: 2)
        spacing = Self.spacing(at: ring.format.sampleRate)
        warming = ring.format.frames(EffectChain.warmingSeconds)
    }

    static func spacing(at sampleRate: Int) -> FrameCount {
        FrameCount(quantum * 16 * max(1, (sampleRate + 47_999) / 48_000))
    }

    func deallocate() {
        reverb?.deallocate()
        delay?.deallocate()
        chain.deallocate()
        input.deallocate()
        output.deallocate()
        checkpoints.deallocate()
    }

    /// Allocates memory that only few effects need. Called where parameters are handed over, never while rendering.
    mutating func prepareMemory(_ format: AudioFormat) {
        if wanted.reverb.mix > 0, reverb == nil {
            let memory = UnsafeMutablePointer<Reverb>.allocate(capacity: 2)
            memory.initialize(repeating: Reverb(sampleRate: format.sampleRate), count: 2)
            checkpoints.keepReverb(memory)
            reverb = memory
        }
        if wanted.delay > 0, delay == nil {
            var line = DelayLine(format)
            line.begin(at: readIndex)
            if hasOutput { line.keep(output, at: outputStart, frames: Self.quantum) }
            delay = line
        }
        let index = readIndex
        if startsRun { delay?.set(wanted.delay) } else { delay?.change(to: wanted.delay, from: index) }
    }

    var readIndex: FrameCount {
        @_noLocks @_noAllocation get { ring._withUnsafeGuaranteedRef { $0.readIndex } }
    }

    private var written: FrameCount {
        @_noLocks @_noAllocation get { min(limit, ring._withUnsafeGuaranteedRef { $0.writeIndex }) }
    }

    /// Index after the output of the last quantum.
    private var outputEnd: FrameCount {
        @_noLocks @_noAllocation get { head - Self.lookAhead }
    }

    private var outputStart: FrameCount {
        @_noLocks @_noAllocation get { hasOutput ? outputEnd - FrameCount(Self.quantum) : outputEnd }
    }

    var paddedFrames: FrameCount {
        @_noLocks @_noAllocation get {
            guard let padded, written > padded.written else { return 0 }
            return max(0, readIndex - padded.start)
        }
    }

    // MARK: Reading

    @_noLocks @_noAllocation
    mutating func read(into samples: UnsafeMutablePointer<Float>, frames: Int) -> Int {
        let start = readIndex
        let available = written
        let wantedFrames = Int(max(0, min(FrameCount(frames), available - start)))
        guard wantedFrames > 0 else { return 0 }
        if !isEngaged {
            guard needsChain(before: available) else { return readPlain(samples, at: start, frames: wantedFrames) }
            engage(at: start)
        }
        let state = DenormalGuard.enter()
        if startsRun || start > outputEnd + warming { beginRun(at: start) }
        var done = 0
        while done < wantedFrames {
            let count = give(
                samples + done * channels, at: start + FrameCount(done), frames: wantedFrames - done,
                available: available)
            if count == 0 { break }
            done += count
        }
        state.leave()
        ring._withUnsafeGuaranteedRef { $0.pass(done) }
        disengageWhenDone(at: start + FrameCount(done))
        return done
    }

    /// Writes frames from `index` on; returns 0 if the frames to look ahead at are missing.
    @_noLocks @_noAllocation
    private mutating func give(
        _ samples: UnsafeMutablePointer<Float>, at index: FrameCount, frames: Int, available: FrameCount
    ) -> Int {
        if index < runStart {
            return copyInput(samples, at: index, frames: Int(min(FrameCount(frames), runStart - index)))
        }
        // A return to the start of a quantum is a step back as well: a change may start there.
        if index < outputStart || (hasOutput && index == outputStart) { stepBack(to: index) }
        while index >= outputEnd {
            guard head + FrameCount(Self.quantum) <= available else {
                return padsEnd ? givePadded(samples, at: index, frames: frames, available: available) : 0
            }
            // Frames that are rendered again keep their parameters: they were heard with these.
            if index == outputEnd { adopt() }
            takeQuantum(chain, count: Self.quantum)
            hasOutput = true
        }
        padded = nil
        let offset = Int(index - outputStart)
        let count = min(frames, Self.quantum - offset)
        copyOutput(from: offset, to: samples, at: index, frames: count)
        return count
    }

    /// Renders the last frames with a copy of the chain, and zeros for the frames that may still follow.
    @_noLocks @_noAllocation
    private mutating func givePadded(
        _ samples: UnsafeMutablePointer<Float>, at index: FrameCount, frames: Int, available: FrameCount
    ) -> Int {
        let head = head
        let copy = chain + 1
        copy.pointee = chain.pointee
        if let reverb { (reverb + 1).pointee = reverb.pointee }
        while index >= outputEnd {
            takeQuantum(copy, count: Int(max(0, min(FrameCount(Self.quantum), available - self.head))))
        }
        let offset = Int(index - outputEnd) + Self.quantum
        let count = min(min(frames, Self.quantum - offset), Int(available - index))
        copyOutput(from: offset, to: samples, at: index, frames: count)
        // A step back into the quantum that `output` held uses a checkpoint.
        (self.head, hasOutput) = (head, false)
        padded = (min(index, padded?.start ?? index), available)
        return count
    }

    /// Processes the next quantum; only `count` of its frames exist.
    @_noLocks @_noAllocation
    private mutating func takeQuantum(_ chain: UnsafeMutablePointer<EffectChain>, count: Int) {
        if chain == self.chain, (head - runStart) % spacing == 0 { checkpoints.append(chain, at: head) }
        let there = copyFromRing(input, at: head, frames: count)
        let isGuarded =
            there > 0 && loudness.apply(to: input, at: head, frames: there, channels: channels, of: ring)
        for position in there * channels..<Self.quantum * channels { input[position] = 0 }
        if let reverb {
            reverb[chain == self.chain ? 0 : 1].process(input, frames: Self.quantum, channels: channels)
        }
        chain.pointee.process(input, into: output, guarding: isGuarded)
        head += FrameCount(Self.quantum)
        delay?.keep(output, at: outputEnd - FrameCount(Self.quantum), frames: Self.quantum)
        noteTransparency(chain)
    }

    @_noLocks @_noAllocation
    private mutating func noteTransparency(_ chain: UnsafeMutablePointer<EffectChain>) {
        guard chain == self.chain else { return }
        let isDelayed = delay.map { !$0.isOff(from: outputEnd) } ?? false
        if !chain.pointee.isTransparent || isDelayed || !(reverb?.pointee.isSilent ?? true) {
            transparentSince = nil
        } else if transparentSince == nil {
            transparentSince = outputEnd
        }
    }

    // MARK: Runs, steps back, changes

    /// Before this run the ring's frames sound unchanged, and so they do right after its start.
    @_noLocks @_noAllocation
    private mutating func engage(at index: FrameCount) {
        isEngaged = true
        guard !startsRun else { return }
        chain.pointee = EffectChain(wanted.isNeutral ? wanted : neutral)
        reverb?.pointee.restart(.off)
        place(runAt: index)
        warm()
    }

    @_noLocks @_noAllocation
    private mutating func beginRun(at index: FrameCount) {
        startsRun = false
        chain.pointee = EffectChain(wanted)
        reverb?.pointee.restart(wanted.reverb)
        place(runAt: index)
        warm()
    }

    @_noLocks @_noAllocation
    private mutating func place(runAt index: FrameCount) {
        startsRun = false
        runStart = index
        head = index
        hasOutput = false
        transparentSince = nil
        padded = nil
        delay?.begin(at: index)
        checkpoints.removeAll()
    }

    @_noLocks @_noAllocation
    private mutating func stepBack(to index: FrameCount) {
        hasOutput = false
        transparentSince = nil
        if let restored = checkpoints.restore(chain, to: index + Self.lookAhead) {
            head = restored
        } else {
            // Farther back than ever requested.
            beginRun(at: index)
        }
    }

    @_noLocks @_noAllocation
    private mutating func adopt() {
        guard chain.pointee.number != wanted.number, !chain.pointee.isChanging else { return }
        chain.pointee.beginChange(to: wanted)
        reverb?.pointee.move(to: wanted.reverb, now: false)
        warm()
        checkpoints.append(chain, at: head)
    }

    /// Feeds the new filters with the frames before the next quantum.
    @_noLocks @_noAllocation
    private mutating func warm() {
        var index = max(head - warming, ring._withUnsafeGuaranteedRef { $0.oldest })
        while index < head {
            let count = copyInput(input, at: index, frames: Int(min(FrameCount(Self.quantum), head - index)))
            guard count > 0 else { return }
            chain.pointee.warm(input, frames: count)
            index += FrameCount(count)
        }
    }

    // MARK: On and off

    /// An effect is on, or a track in the ring has a gain that could clip.
    @_noLocks @_noAllocation
    private mutating func needsChain(before available: FrameCount) -> Bool {
        !wanted.isNeutral || loudness.isGuarded(from: readIndex, to: available, of: ring)
    }

    /// Frames that are rendered again must come out the same, so the chain ends only when none of them needs it.
    @_noLocks @_noAllocation
    private mutating func disengageWhenDone(at index: FrameCount) {
        guard let transparentSince, wanted.isNeutral, chain.pointee.number == wanted.number,
            index - transparentSince > FrameCount(ring._withUnsafeGuaranteedRef { $0.retained }),
            !needsChain(before: written)
        else { return }
        isEngaged = false
        checkpoints.removeAll()
    }

    @_noLocks @_noAllocation
    private mutating func readPlain(_ samples: UnsafeMutablePointer<Float>, at index: FrameCount, frames: Int) -> Int {
        startsRun = false
        let count = copyInput(samples, at: index, frames: frames)
        ring._withUnsafeGuaranteedRef { $0.pass(count) }
        return count
    }

    // MARK: Frames of the ring

    /// Copies the chain's input: the ring's frames with their tracks' gains.
    @_noLocks @_noAllocation
    private mutating func copyInput(_ samples: UnsafeMutablePointer<Float>, at index: FrameCount, frames: Int) -> Int {
        let count = copyFromRing(samples, at: index, frames: frames)
        if count > 0 { _ = loudness.apply(to: samples, at: index, frames: count, channels: channels, of: ring) }
        return count
    }

    @_noLocks @_noAllocation
    private mutating func copyOutput(
        from offset: Int, to samples: UnsafeMutablePointer<Float>, at index: FrameCount, frames: Int
    ) {
        let source = output + offset * channels
        if delay != nil {
            delay?.give(source, into: samples, at: index, frames: frames)
            return
        }
        for position in 0..<frames * channels { samples[position] = source[position] }
    }

    @_noLocks @_noAllocation
    private func copyFromRing(_ samples: UnsafeMutablePointer<Float>, at index: FrameCount, frames: Int) -> Int {
        guard frames > 0 else { return 0 }
        return ring._withUnsafeGuaranteedRef { $0.copy(at: index, into: samples, frames: frames) }
    }
}
