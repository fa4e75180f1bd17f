// SPDX-License-Identifier: Apache-2.0

internal import Audio

/// Brings decoded frames into the ring's shape (channels, then rate) and writes them, waiting for space.
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
    private let buffering: DecodeBuffering
    /// Frames that may be unread at once.
    private var limit: Int
    private var source: AudioFormat
    private var mapper: ChannelMapper
    private var converter: (any SampleRateConverter)?
    private let mapped: SampleSpace
    private let converted: SampleSpace

    init(
        _ ring: FrameRing, _ lease: FrameRing.Lease, source: AudioFormat, conversion: any SampleRateConversion,
        buffering: DecodeBuffering
    ) throws(MediaError) {
        self.ring = ring
        self.lease = lease
        self.conversion = conversion
        self.buffering = buffering
        limit = buffering.limit(in: ring, sampleRate: source.sampleRate)
        self.source = source
        writeIndex = ring.writeIndex
        mapper = ChannelMapper(from: source.layout, to: ring.format.layout)
        mapped = SampleSpace(samples: Self.largestChunk * ring.format.channelCount)
        converted = SampleSpace(samples: 8_192 * ring.format.channelCount)
        try makeConverter()
    }

    private mutating func makeConverter() throws(MediaError) {
        mapper = ChannelMapper(from: source.layout, to: ring.format.layout)
        limit = buffering.limit(in: ring, sampleRate: source.sampleRate)
        guard source.sampleRate != ring.format.sampleRate else {
            converter = nil
            return
        }
        converter = try conversion.converter(
            from: source.sampleRate, to: ring.format.sampleRate, channelCount: ring.format.channelCount)
    }

    /// Frames of `format`; a new format ends the old one's conversion first.
    mutating func write(_ samples: UnsafeBufferPointer<Float>, format: AudioFormat) throws(MediaError) {
        if format != source {
            try flushConverter()
            source = format
            try makeConverter()
        }
        try convert(map(samples))
    }

    /// The media is over (or begins anew): what the converter still holds follows.
    mutating func flushConverter() throws(MediaError) {
        guard let converter else { return }
        let channels = ring.format.channelCount
        while true {
            let given = converter.finish(into: converted.space)
            if given == 0 { break }
            try put(converted.first(given * channels))
        }
        converter.reset()
    }

    mutating func finish() throws(MediaError) {
        try flushConverter()
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

    private mutating func convert(_ samples: UnsafeBufferPointer<Float>) throws(MediaError) {
        guard let converter else { return try put(samples) }
        let channels = ring.format.channelCount
        var rest = samples
        while !rest.isEmpty {
            let (taken, given) = converter.convert(rest, into: converted.space)
            try put(converted.first(given * channels))
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
