// SPDX-License-Identifier: Apache-2.0

public import Audio
internal import Kernel

/// Renders media like an output, with the same decoding, channel mapping and effects, on the caller's thread.
public final class OfflineRenderer {
    /// Receives interleaved frames of `format`, valid only during the call.
    public typealias Consumer = (UnsafeBufferPointer<Float>) throws -> Void

    /// Frames per chunk: a chunk stays in the second-level cache from the decoder to the file.
    static let chunk = 4_096

    public let format: AudioFormat
    /// Frames rendered so far.
    public private(set) var frames: FrameCount = 0
    private let limit: FrameCount?
    private let conversion: any SampleRateConversion
    private let stretching: any TimeStretching
    private let slowest: Double
    private let cancellation: MediaCancellation
    private let ring: FrameRing
    private let stage: EffectStage?
    private let loudness: EffectSettings.Loudness
    /// The held end of the previous media, and its loudness.
    private var held: (tail: HeldTail, loudness: (track: TrackLoudness?, isInAlbum: Bool))?
    private var renderer: StreamRenderer
    private let space: UnsafeMutableBufferPointer<Float>

    /// `slowest`: the lowest tempo rate. `duration`: seconds; nil renders everything. Throws `MediaError` if cancelled.
    public init(
        _ format: AudioFormat, effects: EffectSettings, conversion: any SampleRateConversion,
        stretching: any TimeStretching, slowest: Double = 1, duration: Double? = nil,
        cancellation: MediaCancellation = MediaCancellation()
    ) {
        self.format = format
        self.conversion = conversion
        self.stretching = stretching
        self.slowest = slowest
        self.cancellation = cancellation
        limit = duration.map(format.frames)
        loudness = effects.usedLoudness
        ring = OfflineInput.ring(format, slowest: slowest)
        renderer = StreamRenderer(ring: ring)
        stage = EffectStage.changed(nil, to: effects, ring: ring)
        stage?.padsEnd = false
        renderer.use(stage)
        space = .allocate(capacity: Self.chunk * format.channelCount)
    }

    deinit { space.deallocate() }

    /// All frames were rendered.
    public var isComplete: Bool { limit.map { frames >= $0 } ?? false }

    /// Renders one item, with repetitions, after the previous one. `progress`: its rendered seconds after each chunk.
    public func render(
        _ media: OfflineMedia, progress: (Double) throws -> Void = { _ in }, _ consume: Consumer
    ) throws {
        let own = (track: media.decoder.media.loudness, isInAlbum: media.isInAlbum)
        var overlap: Overlap?
        if let held {
            let frames = format.channelCount <= OverlapMixer.mostChannels ? format.frames(media.overlap) : 0
            try release(held.tail, keeping: Int(frames), consume)
            if isComplete { return self.held = nil }
            if frames > 0 { overlap = Overlap(held.tail, frames: frames, held.loudness, own, loudness) }
            self.held = nil
        }
        let lease = overlap == nil ? ring.grant(own.track, isInAlbum: own.isInAlbum).lease : ring.grant().lease
        var input = try OfflineInput(media, into: ring, lease, conversion, stretching, cancellation, over: overlap)
        let first = frames
        while !isComplete, try input.step() {
            try give(consume)
            try progress(format.seconds(frames - first))
        }
        try give(consume)
        held = input.tail.map { ($0, own) }
    }

    /// Renders the frames of the held end that the next media does not overlap.
    private func release(_ tail: HeldTail, keeping kept: Int, _ consume: Consumer) throws {
        let lease = ring.grant().lease
        while tail.frames > kept, !isComplete {
            _ = tail.write(min(tail.frames - kept, Self.chunk), to: ring, lease: lease)
            try give(consume)
        }
    }

    /// Renders the sum of media that start together, each with its gain. `progress`: seconds of the sum.
    public func mix(
        _ media: [(media: OfflineMedia, gain: Float)], progress: (Double) throws -> Void = { _ in },
        _ consume: Consumer
    ) throws {
        let lease = ring.grant(nil, isInAlbum: false).lease
        var inputs = try media.map { media, gain in
            let ring = OfflineInput.ring(format, slowest: slowest)
            return (
                input: try OfflineInput(media, into: ring, ring.grant().lease, conversion, stretching, cancellation),
                gain: gain
            )
        }
        while !isComplete {
            for index in inputs.indices { try inputs[index].input.provide() }
            // An input that has ended is silent; the others continue.
            let unread = inputs.lazy.map(\.input.unread).filter { $0 > 0 }.min()
            guard let unread, let part = space.baseAddress else { break }
            let count = min(unread, Self.chunk)
            let values = count * format.channelCount
            var sum = [Float](repeating: 0, count: values)
            for (input, gain) in inputs where input.read(into: part, frames: count) > 0 {
                for position in 0..<values { sum[position] += gain * part[position] }
            }
            _ = sum.withUnsafeBufferPointer { ring.write($0, lease: lease) }
            try give(consume)
            try progress(format.seconds(frames))
        }
        try give(consume)
    }

    /// Renders the remaining look-ahead and the tail of the effects.
    public func finish(_ consume: Consumer) throws {
        if let held { try release(held.tail, keeping: 0, consume) }
        held = nil
        var tail = stage?.tailFrames ?? 0
        if tail > 0 {
            let lease = ring.grant().lease
            let silence = [Float](repeating: 0, count: space.count)
            while tail > 0, !isComplete {
                let count = Int(min(tail, FrameCount(Self.chunk)))
                _ = silence[..<(count * format.channelCount)].withUnsafeBufferPointer { ring.write($0, lease: lease) }
                tail -= FrameCount(count)
                try give(consume)
            }
        }
        stage?.padsEnd = true
        try give(consume)
    }

    private func give(_ consume: Consumer) throws {
        guard let samples = space.baseAddress else { return }
        while true {
            var count = renderer.produce(into: samples, frames: Self.chunk)
            if count == 0 { return }
            if let limit { count = Int(min(FrameCount(count), limit - frames)) }
            guard count > 0 else { continue }
            frames += FrameCount(count)
            try consume(UnsafeBufferPointer(rebasing: space[..<(count * format.channelCount)]))
        }
    }
}

/// An item to render.
public struct OfflineMedia {
    public var decoder: any AudioDecoder
    /// The start in seconds.
    public var start = 0.0
    /// The start of each repetition in seconds.
    public var beginTime = 0.0
    /// Repetitions; -1: endless.
    public var loops = 0
    /// The previous or next item is of the same album.
    public var isInAlbum = false
    /// Seconds of overlap with the previous item, which must hold back as much.
    public var overlap = 0.0
    /// Seconds of its end to hold back for the next item.
    public var held = 0.0
    public var tempo = Tempo.normal

    public init(_ decoder: any AudioDecoder) { self.decoder = decoder }
}

extension MediaDescription {
    /// The format for rendering: mono becomes stereo, as at an output. `rates`: the possible ones; nil: all.
    public func renderedFormat(rates: [Int]?, mostChannels: Int) -> AudioFormat {
        var format = format
        if format.channelCount <= 2 || format.channelCount > mostChannels { format.layout = .stereo }
        if let rates, !rates.contains(format.sampleRate) { format.sampleRate = rates.max() ?? format.sampleRate }
        return format
    }
}

/// Writes one item into a ring, a chunk at a time. It never waits: its caller empties the ring first.
struct OfflineInput {
    private let reader: DecodeReader
    private let ring: FrameRing
    private let cancellation: MediaCancellation
    private let beginTime: Double
    private var writer: RingWriter
    private var roundsLeft: Int
    private var hasFrames = false
    private var isOver = false
    /// The held end, once the item has ended.
    private(set) var tail: HeldTail?

    /// A ring for any chunk at any tempo, the end of a conversion, and the frames that effects leave unread.
    static func ring(_ format: AudioFormat, slowest: Double) -> FrameRing {
        let lowestRate = 8_000
        // A stretcher holds less than half a second.
        let input = OfflineRenderer.chunk * (format.sampleRate / lowestRate + 1) + format.sampleRate / 2
        let capacity = Int(clamping: Double(input) / min(1, slowest)) + 32_768
        return FrameRing(format: format, capacity: capacity, retained: 0)
    }

    init(
        _ media: OfflineMedia, into ring: FrameRing, _ lease: FrameRing.Lease,
        _ conversion: any SampleRateConversion, _ stretching: any TimeStretching, _ cancellation: MediaCancellation,
        over overlap: Overlap? = nil
    ) throws(MediaError) {
        self.ring = ring
        self.cancellation = cancellation
        reader = DecodeReader(media.decoder, chunk: OfflineRenderer.chunk, cancellation: cancellation)
        let feed = RingFeed(
            ring, lease,
            buffering: DecodeBuffering(frames: OfflineRenderer.chunk, count: DecodeBuffering.countRange.upperBound),
            overlapLimit: media.held > 0 ? SharedSeconds(seconds: media.held) : nil, isPaced: false,
            cancellation: cancellation)
        writer = try RingWriter(
            feed, source: media.decoder.media.format, tempo: media.tempo, conversion: conversion, stretching: stretching
        )
        if let overlap { try writer.feed.begin(over: overlap) }
        beginTime = media.beginTime
        roundsLeft = media.loops
        guard media.start > 0 else { return }
        let beginning = max(0, media.start - media.tempo.lead)
        if media.decoder.media.isSeekable { try reader.seek(to: beginning) } else { try reader.pass(to: beginning) }
        let lead = max(0, min(media.start - reader.position, media.tempo.lead))
        writer.feed.lead = Int(ring.format.frames(lead / media.tempo.rate))
    }

    var unread: Int { ring.unread }

    func read(into samples: UnsafeMutablePointer<Float>, frames: Int) -> Int {
        ring.read(into: samples, frames: frames)
    }

    /// Makes at least one frame available, unless the item has ended.
    mutating func provide() throws(MediaError) {
        while ring.unread == 0, try step() {}
    }

    /// Decodes one chunk. Returns false if the item has ended.
    mutating func step() throws(MediaError) -> Bool {
        if isOver { return false }
        if cancellation.isCancelled { throw MediaError(.cancelled, "The rendering was cancelled.") }
        try reader.fill()
        if reader.available > 0 {
            if roundsLeft == 0, let left = reader.secondsLeft { writer.approach(end: left) }
            try writer.write(reader.chunk, format: reader.format)
            reader.consume(reader.available)
            hasFrames = true
            return true
        }
        // A round without a frame would repeat forever.
        guard roundsLeft != 0, hasFrames else {
            try writer.flushConverters()
            if try writer.feed.finishMixing() { return true }
            tail = writer.feed.takeTail()
            isOver = true
            return false
        }
        if roundsLeft > 0 { roundsLeft -= 1 }
        hasFrames = false
        try writer.flushConverters()
        try reader.seek(to: beginTime)
        return true
    }
}
