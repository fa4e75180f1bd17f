// SPDX-License-Identifier: Apache-2.0

internal import Audio

/// Brings decoded frames into the ring's shape (channels, then rate, then tempo), mixes them over the end of the item before,
/// holds back their own end, and writes them, waiting for space.
struct RingWriter {
    /// Frames that `write` takes at once: a decoded chunk, or a block of a scan at the highest rate.
    static let largestChunk = 65_536
    /// Seconds before an overlap from which on frames are held back: in them the end is found and the next item loaded.
    static let holdingAhead = 2.0
    /// Seconds that are unread at least while frames are held back.
    private static let leastUnreadSeconds = 0.5

    /// Set by `finish`: the index behind the last frame.
    private(set) var end: FrameCount?

    private let ring: FrameRing
    private let lease: FrameRing.Lease
    private let conversion: any SampleRateConversion
    private let stretching: any TimeStretching
    private let buffering: DecodeBuffering
    private let ahead: SharedSeconds
    private let cancellation: MediaCancellation
    /// nil: nothing is ever held back.
    private let overlapLimit: SharedSeconds?
    /// Somebody reads the ring in its own time.
    private let isPaced: Bool
    /// Frames that are in the ring.
    private var written: FrameCount
    /// Frames that are held back lie in it; nil until the end comes near.
    private var tail: HeldTail?
    private var mixer: OverlapMixer?
    private var source: AudioFormat
    private(set) var tempo: Tempo
    private var mapper: ChannelMapper
    /// Between the mapper and the ring, one after another; none when the media is played as it is.
    private var stages: [Stage] = []
    private let mapped: SampleSpace

    private struct Stage {
        let converter: any FrameConverter
        let space: SampleSpace

        init(_ converter: any FrameConverter, channelCount: Int) {
            self.converter = converter
            space = SampleSpace(samples: 8_192 * channelCount)
        }
    }

    init(
        _ ring: FrameRing, _ lease: FrameRing.Lease, source: AudioFormat, tempo: Tempo = .normal,
        conversion: any SampleRateConversion, stretching: any TimeStretching, buffering: DecodeBuffering,
        ahead: SharedSeconds = SharedSeconds(), overlapLimit: SharedSeconds? = nil, isPaced: Bool = true,
        cancellation: MediaCancellation = MediaCancellation()
    ) throws(MediaError) {
        self.overlapLimit = overlapLimit
        self.isPaced = isPaced
        self.cancellation = cancellation
        self.ring = ring
        self.lease = lease
        self.tempo = tempo
        self.conversion = conversion
        self.stretching = stretching
        self.buffering = buffering
        self.ahead = ahead
        self.source = source
        written = ring.writeIndex
        mapper = ChannelMapper(from: source.layout, to: ring.format.layout)
        mapped = SampleSpace(samples: Self.largestChunk * ring.format.channelCount)
        try makeStages()
    }

    /// Index that the next frame will have.
    var writeIndex: FrameCount { written + FrameCount((tail?.frames ?? 0) + (mixer?.pending ?? 0)) }

    /// Frames that may be unread at once. A change counts from the next write on.
    private var limit: Int { buffering.limit(in: ring, sampleRate: source.sampleRate, seconds: ahead.seconds) }

    private mutating func makeStages() throws(MediaError) {
        mapper = ChannelMapper(from: source.layout, to: ring.format.layout)
        stages = []
        let channels = ring.format.channelCount
        let (input, output) = (Double(source.sampleRate) * tempo.resampling, Double(ring.format.sampleRate))
        if input != output {
            let converter = try conversion.converter(from: input, to: output, channelCount: channels)
            stages.append(Stage(converter, channelCount: channels))
        }
        // Behind the resampler: it costs the same for any media.
        if tempo.needsStretcher {
            let stretcher = try stretching.stretcher(for: ring.format, rate: tempo.stretching, cents: tempo.cents)
            stages.append(Stage(stretcher, channelCount: channels))
        }
    }

    /// Of what follows.
    mutating func change(_ tempo: Tempo) throws(MediaError) {
        guard tempo != self.tempo else { return }
        try flushConverters()
        self.tempo = tempo
        try makeStages()
    }

    /// Frames of the ring.
    mutating func writeSilence(_ frames: FrameCount) throws(MediaError) {
        guard frames > 0 else { return }
        let channels = ring.format.channelCount
        let space = SampleSpace(samples: 8_192 * channels)
        space.space.initialize(repeating: 0)
        let zeros = space.first(space.space.count)
        var rest = Int(frames) * channels
        while rest > 0 {
            try put(UnsafeBufferPointer(rebasing: zeros.prefix(rest)))
            rest -= min(rest, zeros.count)
        }
    }

    /// Frames of `format`; a new format ends the old one's conversion first.
    mutating func write(_ samples: UnsafeBufferPointer<Float>, format: AudioFormat) throws(MediaError) {
        if format != source {
            try flushConverters()
            source = format
            try makeStages()
        }
        try pass(map(samples), to: 0)
    }

    /// The media is over (or begins anew): what the converters still hold follows.
    mutating func flushConverters() throws(MediaError) {
        let channels = ring.format.channelCount
        for (index, stage) in stages.enumerated() {
            while true {
                let given = stage.converter.finish(into: stage.space.space)
                if given == 0 { break }
                try pass(stage.space.first(given * channels), to: index + 1)
            }
            stage.converter.reset()
        }
    }

    /// `held` is called when frames are held back: with them, and the index behind the last one. They are written as
    /// slowly as the sink allows.
    mutating func finish(held: (HeldTail, FrameCount) -> Void = { _, _ in }) throws(MediaError) {
        try flushConverters()
        while try finishMixing() {}
        if let tail, tail.frames > 0 {
            held(tail, writeIndex)
            try settle(tail)
        }
        tail = nil
        end = writeIndex
    }

    private func map(_ samples: UnsafeBufferPointer<Float>) -> UnsafeBufferPointer<Float> {
        guard !mapper.isIdentity, let input = samples.baseAddress, let output = mapped.space.baseAddress else {
            return samples
        }
        let frames = samples.count / mapper.input.positions.count
        mapper.map(input, into: output, frames: frames)
        return mapped.first(frames * mapper.output.positions.count)
    }

    private mutating func pass(_ samples: UnsafeBufferPointer<Float>, to index: Int) throws(MediaError) {
        guard index < stages.count else { return try give(samples) }
        let stage = stages[index]
        let channels = ring.format.channelCount
        var rest = samples
        while !rest.isEmpty {
            let (taken, given) = stage.converter.convert(rest, into: stage.space.space)
            try pass(stage.space.first(given * channels), to: index + 1)
            rest = UnsafeBufferPointer(rebasing: rest.dropFirst(taken * channels))
        }
    }

    /// Throws `cancelled` when the lease is revoked.
    private mutating func put(_ samples: UnsafeBufferPointer<Float>) throws(MediaError) {
        let channels = ring.format.channelCount
        var rest = samples
        while !rest.isEmpty {
            let room = max(0, limit - ring.unread)
            let part = UnsafeBufferPointer(rebasing: rest.prefix(room * channels))
            let frames = try note(ring.write(part, lease: lease))
            rest = UnsafeBufferPointer(rebasing: rest.dropFirst(frames * channels))
            if !rest.isEmpty { try waitForSpace(limit) }
        }
    }

    private mutating func note(_ outcome: FrameRing.WriteOutcome) throws(MediaError) -> Int {
        guard case .wrote(let frames, let start) = outcome else { throw Self.isRevoked }
        written = start + FrameCount(frames)
        return frames
    }

    /// Half of what is let at a time: the thread sleeps long and wakes rarely.
    private func waitForSpace(_ unread: Int) throws(MediaError) {
        guard ring.waitForSpace(ring.capacity - unread / 2, lease: lease) else { throw Self.isRevoked }
    }

    private static let isRevoked = MediaError(.cancelled, "another place of the queue is played")
}

// MARK: Overlaps

extension RingWriter {
    /// What comes is mixed over the end of the item before, once the frames that are heard alone are written.
    mutating func begin(over overlap: Overlap) throws(MediaError) {
        let format = ring.format
        let rest = overlap.tail.take()
        let alone = max(0, rest.count - Int(overlap.frames) * format.channelCount)
        try rest.withUnsafeBufferPointer { rest throws(MediaError) in
            try put(UnsafeBufferPointer(rebasing: rest[..<alone]))
        }
        guard ring.begin(overlap.loudness, isInAlbum: overlap.isInAlbum, lease: lease) else { throw Self.isRevoked }
        guard alone < rest.count else { return }
        mixer = OverlapMixer(
            Array(rest[alone...]), gain: overlap.gain, ceiling: overlap.ceiling, format: format)
    }

    /// What comes ends after so many seconds of the media.
    mutating func approach(end seconds: Double) {
        guard tail == nil, let wanted = overlapLimit?.seconds, wanted > 0,
            seconds / tempo.rate <= wanted + Self.holdingAhead
        else { return }
        tail = HeldTail(channelCount: ring.format.channelCount)
    }

    /// The media has ended before its time: all that was decoded is heard.
    mutating func giveUp() throws(MediaError) {
        while try finishMixing() {}
        guard let rest = tail?.take() else { return }
        tail = nil
        try rest.withUnsafeBufferPointer { rest throws(MediaError) in try put(rest) }
    }

    /// For who waits for nothing: the end that is held back, once `finishMixing` gives nothing more.
    mutating func takeTail() -> HeldTail? {
        defer { tail = nil }
        return tail
    }

    /// The item is over before the overlap is: some of the rest fades out over silence. False when nothing is left.
    mutating func finishMixing() throws(MediaError) -> Bool {
        guard var mixer else { return false }
        let silence = min(mixer.tailLeft, 4_096) * ring.format.channelCount
        let rest =
            silence > 0
            ? [Float](repeating: 0, count: silence).withUnsafeBufferPointer { mixer.mix($0) } : mixer.finish()
        self.mixer = silence > 0 ? mixer : nil
        try rest.withUnsafeBufferPointer { rest throws(MediaError) in try keep(rest) }
        return silence > 0
    }

    /// In the ring's shape.
    private mutating func give(_ samples: UnsafeBufferPointer<Float>) throws(MediaError) {
        guard mixer != nil else { return try keep(samples) }
        let mixed = mixer?.mix(samples) ?? []
        if mixer?.isOver == true { mixer = nil }
        try mixed.withUnsafeBufferPointer { mixed throws(MediaError) in try keep(mixed) }
    }

    private mutating func keep(_ samples: UnsafeBufferPointer<Float>) throws(MediaError) {
        guard let tail else { return try put(samples) }
        tail.append(samples)
        try pour(tail)
        if cancellation.isCancelled { throw Self.isRevoked }
    }

    /// Gives the ring what is held beyond the overlap, and of that as much as the sink needs. Waits only where far more is
    /// held than was meant to be.
    private mutating func pour(_ tail: HeldTail) throws(MediaError) {
        while true {
            let surplus = tail.frames - kept
            let room = (surplus > 0 ? limit : leastUnread) - ring.unread
            if room > 0, tail.frames > 0 {
                _ = try note(tail.write(min(room, surplus > 0 ? surplus : tail.frames), to: ring, lease: lease))
            } else if surplus > Int(ring.format.frames(2 * Self.holdingAhead)) {
                try waitForSpace(limit)
            } else {
                return
            }
        }
    }

    /// Until nothing is left, or the next item has taken it.
    private mutating func settle(_ tail: HeldTail) throws(MediaError) {
        while true {
            try pour(tail)
            if tail.isTaken || cancellation.isCancelled { throw Self.isRevoked }
            guard tail.frames > 0 else { return }
            try waitForSpace(tail.frames > kept ? limit : leastUnread)
        }
    }

    /// Frames that are held back, once the end is found.
    private var kept: Int {
        let most = HeldTail.mostBytes / (4 * ring.format.channelCount)
        return min(most, Int(ring.format.frames(overlapLimit?.seconds ?? 0)))
    }

    private var leastUnread: Int {
        isPaced ? min(limit, Int(ring.format.frames(Self.leastUnreadSeconds))) : 0
    }
}

/// Memory that a mapper or converter writes to and the ring is fed from.
private final class SampleSpace {
    let space: UnsafeMutableBufferPointer<Float>

    init(samples: Int) {
        space = .allocate(capacity: samples)
    }

    deinit {
        space.deallocate()
    }

    func first(_ count: Int) -> UnsafeBufferPointer<Float> {
        UnsafeBufferPointer(rebasing: space[..<count])
    }
}
