// SPDX-License-Identifier: Apache-2.0

internal import Audio

/// The inside of an `EffectStage`. The chain takes 64 frames at a time, on a grid that begins where a run begins; so what
/// comes out depends neither on the size of a call nor on their number.
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
    /// Of one quantum each.
    private let input: UnsafeMutablePointer<Float>
    private let output: UnsafeMutablePointer<Float>
    private let neutral: EffectParameters
    private var checkpoints = CheckpointRing()
    /// Before the chain; the second one is for what is padded. Made when it is first wanted.
    private var reverb: UnsafeMutablePointer<Reverb>?
    /// Behind the chain; made when it is first wanted.
    private var delay: DelayLine?
    /// Frames between two checkpoints: 21 ms.
    private let spacing: FrameCount
    private let warming: FrameCount

    var wanted: EffectParameters
    var loudness: LoudnessCourse
    var limit = FrameCount.max
    var padsEnd = true
    /// The next read begins a run, with the wanted parameters from its first frame on.
    var startsRun: Bool
    private(set) var isEngaged = false
    /// Ring index of the run's first frame. What was before is the ring's, untouched.
    private var runStart: FrameCount = 0
    /// Of the frame that goes in next.
    private var head: FrameCount = 0
    /// Whether `output` holds what the last quantum gave.
    private var hasOutput = false
    /// Since when the chain gives what it takes.
    private var transparentSince: FrameCount?
    private var padded: (start: FrameCount, written: FrameCount)?

    init(ring: FrameRing, wanted: EffectParameters, loudness: LoudnessCourse, startsRun: Bool) {
        self.ring = .passUnretained(ring)
        self.wanted = wanted
        self.loudness = loudness
        self.startsRun = startsRun
        channels = ring.format.channelCount
        neutral = EffectParameters(neutralFor: ring.format)
        let samples = Self.quantum * ring.format.channelCount
        input = .allocate(capacity: samples)
        output = .allocate(capacity: samples)
        // The second one is for what is padded.
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

    /// Memory that only few effects need. Called where parameters are handed over, never while rendering.
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

    /// Index behind the frames that the last quantum gave.
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

    /// Some frames from `index` on; 0 when those that must be looked at are not there.
    @_noLocks @_noAllocation
    private mutating func give(
        _ samples: UnsafeMutablePointer<Float>, at index: FrameCount, frames: Int, available: FrameCount
    ) -> Int {
        if index < runStart {
            return copyInput(samples, at: index, frames: Int(min(FrameCount(frames), runStart - index)))
        }
        // Back to the beginning of a quantum is a step back as well: a change may begin there.
        if index < outputStart || (hasOutput && index == outputStart) { stepBack(to: index) }
        while index >= outputEnd {
            guard head + FrameCount(Self.quantum) <= available else {
                return padsEnd ? givePadded(samples, at: index, frames: frames, available: available) : 0
            }
            // What is rendered again, or run through, adopts nothing: it has sounded as it is.
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

    /// The last frames, from a copy of the chain, with zeros for what may yet follow.
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
        // A step back into the quantum that `output` held finds a checkpoint.
        (self.head, hasOutput) = (head, false)
        padded = (min(index, padded?.start ?? index), available)
        return count
    }

    /// Takes the next quantum, `count` frames of which are there.
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

    /// Before the first frame of this run the ring's frames sound as they are, and so they do right behind it.
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
            // Further back than it is ever asked to.
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

    /// Shows the new filters what lies before the next quantum.
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

    /// Something is on, or a track in the ring is made so loud that it could clip.
    @_noLocks @_noAllocation
    private mutating func needsChain(before available: FrameCount) -> Bool {
        !wanted.isNeutral || loudness.isGuarded(from: readIndex, to: available, of: ring)
    }

    /// Frames that can be rendered again must come out the same: only when none of them needs the chain is it let go.
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

    /// The chain's input: the ring's frames at their tracks' gains.
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
