// SPDX-License-Identifier: Apache-2.0

internal import Audio

/// Converts decoded frames to the ring's format (channels, then sample rate, then tempo) and passes them to the feed.
struct RingWriter {
    /// The maximum number of frames in a `write`: a decoded chunk, or a block of a scan at the highest rate.
    static let largestChunk = 65_536

    var feed: RingFeed

    private let conversion: any SampleRateConversion
    private let stretching: any TimeStretching
    private var source: AudioFormat
    private(set) var tempo: Tempo
    private var mapper: ChannelMapper
    /// The converters between mapper and feed, in order; none if the item is played unchanged.
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
        _ feed: RingFeed, source: AudioFormat, tempo: Tempo, conversion: any SampleRateConversion,
        stretching: any TimeStretching
    ) throws(MediaError) {
        self.feed = feed
        self.source = source
        self.tempo = tempo
        self.conversion = conversion
        self.stretching = stretching
        let format = feed.ring.format
        mapper = ChannelMapper(from: source.layout, to: format.layout)
        mapped = SampleSpace(samples: Self.largestChunk * format.channelCount)
        try makeStages()
    }

    private mutating func makeStages() throws(MediaError) {
        let format = feed.ring.format
        mapper = ChannelMapper(from: source.layout, to: format.layout)
        feed.sourceRate = source.sampleRate
        stages = []
        let channels = format.channelCount
        let (input, output) = (Double(source.sampleRate) * tempo.resampling, Double(format.sampleRate))
        if input != output {
            let converter = try conversion.converter(from: input, to: output, channelCount: channels)
            stages.append(Stage(converter, channelCount: channels))
        }
        // After the resampler, so that the cost is the same for all media.
        if tempo.needsStretcher {
            let stretcher = try stretching.stretcher(for: format, rate: tempo.stretching, cents: tempo.cents)
            stages.append(Stage(stretcher, channelCount: channels))
        }
    }

    /// Applies to the next frames.
    mutating func change(_ tempo: Tempo) throws(MediaError) {
        guard tempo != self.tempo else { return }
        try flushConverters()
        self.tempo = tempo
        try makeStages()
    }

    /// The item ends after this many seconds of its own time.
    mutating func approach(end seconds: Double) { feed.approach(end: seconds / tempo.rate) }

    /// Writes frames of `format`. A new format first ends the conversion of the old one.
    mutating func write(_ samples: UnsafeBufferPointer<Float>, format: AudioFormat) throws(MediaError) {
        if format != source {
            try flushConverters()
            source = format
            try makeStages()
        }
        try pass(map(samples), to: 0)
    }

    /// The item has ended or restarts: writes the frames that remain in the converters.
    mutating func flushConverters() throws(MediaError) {
        let channels = feed.ring.format.channelCount
        for (index, stage) in stages.enumerated() {
            while true {
                let given = stage.converter.finish(into: stage.space.space)
                if given == 0 { break }
                try pass(stage.space.first(given * channels), to: index + 1)
            }
            stage.converter.reset()
        }
    }

    /// Like `RingFeed.finish`, after the converters' remaining frames.
    mutating func finish(held: (HeldTail, FrameCount) -> Void = { _, _ in }) throws(MediaError) {
        try flushConverters()
        try feed.finish(held: held)
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
        guard index < stages.count else { return try feed.write(samples) }
        let stage = stages[index]
        let channels = feed.ring.format.channelCount
        var rest = samples
        while !rest.isEmpty {
            let (taken, given) = stage.converter.convert(rest, into: stage.space.space)
            try pass(stage.space.first(given * channels), to: index + 1)
            rest = UnsafeBufferPointer(rebasing: rest.dropFirst(taken * channels))
        }
    }
}

/// A buffer between a mapper or converter and the ring.
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
