// SPDX-License-Identifier: Apache-2.0

internal import Audio

/// Brings decoded frames into the ring's shape (channels, then rate, then tempo) and writes them, waiting for space.
struct RingWriter {
    /// Frames that `write` takes at once: a decoded chunk, or a block of a scan at the highest rate.
    static let largestChunk = 65_536

    /// Index that the next frame will have.
    private(set) var writeIndex: FrameCount
    /// Set by `finish`: the index behind the last frame.
    private(set) var end: FrameCount?

    private let ring: FrameRing
    private let lease: FrameRing.Lease
    private let conversion: any SampleRateConversion
    private let stretching: any TimeStretching
    private let buffering: DecodeBuffering
    /// Frames that may be unread at once.
    private var limit: Int
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
        conversion: any SampleRateConversion, stretching: any TimeStretching, buffering: DecodeBuffering
    ) throws(MediaError) {
        self.ring = ring
        self.lease = lease
        self.tempo = tempo
        self.conversion = conversion
        self.stretching = stretching
        self.buffering = buffering
        limit = buffering.limit(in: ring, sampleRate: source.sampleRate)
        self.source = source
        writeIndex = ring.writeIndex
        mapper = ChannelMapper(from: source.layout, to: ring.format.layout)
        mapped = SampleSpace(samples: Self.largestChunk * ring.format.channelCount)
        try makeStages()
    }

    private mutating func makeStages() throws(MediaError) {
        mapper = ChannelMapper(from: source.layout, to: ring.format.layout)
        limit = buffering.limit(in: ring, sampleRate: source.sampleRate)
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

    mutating func finish() throws(MediaError) {
        try flushConverters()
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
        guard index < stages.count else { return try put(samples) }
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
            guard case .wrote(let frames, let start) = ring.write(part, lease: lease) else {
                throw MediaError(.cancelled, "another place of the queue is played")
            }
            writeIndex = start + FrameCount(frames)
            rest = UnsafeBufferPointer(rebasing: rest.dropFirst(frames * channels))
            // Half of what is let at a time: the thread sleeps long and wakes rarely.
            if !rest.isEmpty, !ring.waitForSpace(ring.capacity - limit / 2, lease: lease) {
                throw MediaError(.cancelled, "another place of the queue is played")
            }
        }
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
