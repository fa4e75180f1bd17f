// SPDX-License-Identifier: Apache-2.0

public import Audio

/// A worker's description of a file or stream.
public struct WorkerMedia: Hashable, Sendable {
    public static let longestText = 8 << 10
    public static let longestLyrics = 128 << 10
    public static let mostTags = 64
    public static let mostChapters = 1_000
    /// Lengths in frames or bytes: centuries of audio, and sums of two do not overflow.
    public static let lengths: ClosedRange<Int64> = 0...(1 << 48)
    /// Bits per second, and bits per sample.
    static let bitrates: ClosedRange<Int64> = 1...(1 << 40)
    static let depths: ClosedRange<Int64> = 1...64
    static let grids: ClosedRange<Int64> = 1...(1 << 20)
    /// Seconds on a container's clock, which may start before 0.
    static let clocks = -Double(1 << 40)...Double(1 << 40)

    public var format: AudioFormat
    /// Audible frames; nil while unknown.
    public var duration: Int64?
    public var durationIsExact: Bool
    /// The file ends before the length in its header.
    public var isCut = false
    public var isSeekable: Bool
    /// FFmpeg's name, as in ffprobe's `codec_name`.
    public var codec: String
    /// Bits per second; nil if unknown.
    public var bitrate: Int?
    /// For lossless codecs.
    public var bitsPerSample: Int?
    /// Time of the first frame on the container's clock, in seconds; nil without one.
    public var start: Double?
    /// Frames per coding block; nil if that varies.
    public var grid: Int?
    /// Unchanged values; names in lower case.
    public var tags: [Tag] = []
    public var chapters: [Chapter] = []
    public var hasPicture = false

    /// Without values that the server would reject: FFmpeg passes on whatever a file claims.
    public var withinLimits: WorkerMedia {
        var media = self
        func isTime(_ time: Double) -> Bool { Self.clocks.contains(time) && time >= 0 }
        media.duration = duration.flatMap { Self.lengths.contains($0) ? $0 : nil }
        media.bitrate = bitrate.flatMap { Self.bitrates.contains(Int64($0)) ? $0 : nil }
        media.bitsPerSample = bitsPerSample.flatMap { Self.depths.contains(Int64($0)) ? $0 : nil }
        media.start = start.flatMap { Self.clocks.contains($0) ? $0 : nil }
        media.grid = grid.flatMap { Self.grids.contains(Int64($0)) ? $0 : nil }
        media.chapters = chapters.filter { isTime($0.start) && isTime($0.end) }
        return media
    }

    public struct Tag: Hashable, Sendable {
        public var name: String
        public var value: String

        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    public init(
        format: AudioFormat, duration: Int64?, durationIsExact: Bool, isSeekable: Bool, codec: String,
        bitrate: Int? = nil, bitsPerSample: Int? = nil
    ) {
        self.format = format
        self.duration = duration
        self.durationIsExact = durationIsExact
        self.isSeekable = isSeekable
        self.codec = codec
        self.bitrate = bitrate
        self.bitsPerSample = bitsPerSample
    }
}

/// The result of a decode request.
public struct WorkerProgress: Hashable, Sendable {
    public var frames: Int
    public var endOfStream: Bool
    /// Damaged spots since the media was opened.
    public var damage: Int
    /// The format from the next frames on; nil if unchanged.
    public var format: AudioFormat?
    /// The length found at the end; nil if unchanged.
    public var duration: Int64?

    public init(
        frames: Int, endOfStream: Bool = false, damage: Int = 0, format: AudioFormat? = nil, duration: Int64? = nil
    ) {
        self.frames = frames
        self.endOfStream = endOfStream
        self.damage = damage
        self.format = format
        self.duration = duration
    }
}

extension WireWriter {
    mutating func put(_ media: WorkerMedia) {
        put(media.format)
        put(media.duration) { $0.put($1) }
        put(media.durationIsExact)
        put(media.isSeekable)
        put(media.codec)
        put(media.bitrate) { $0.put(Int64($1)) }
        put(media.bitsPerSample) { $0.put(Int64($1)) }
        put(media.start) { $0.put($1) }
        put(media.grid) { $0.put(Int64($1)) }
        put(media.tags) {
            $0.put($1.name)
            $0.put($1.value)
        }
        put(media.chapters) {
            $0.put($1.start)
            $0.put($1.end)
            $0.put($1.title)
        }
        put(media.hasPicture)
        put(media.isCut)
    }

    mutating func put(_ progress: WorkerProgress) {
        put(UInt32(progress.frames))
        put(progress.endOfStream)
        put(UInt32(clamping: progress.damage))
        put(progress.format) { $0.put($1) }
        put(progress.duration) { $0.put($1) }
    }

    private mutating func put(_ format: AudioFormat) {
        put(UInt32(format.sampleRate))
        put(format.layout.positions.map(\.rawValue))
    }
}

extension WireReader {
    mutating func media() throws(WireError) -> WorkerMedia {
        var media = WorkerMedia(
            format: try format(), duration: try optional(in: WorkerMedia.lengths, "a length"),
            durationIsExact: try flag(), isSeekable: try flag(), codec: try name(),
            bitrate: try optional(in: WorkerMedia.bitrates, "a bitrate").map { Int($0) },
            bitsPerSample: try optional(in: WorkerMedia.depths, "a sample's size").map { Int($0) })
        media.start = try flag() ? try number(in: WorkerMedia.clocks, "a clock") : nil
        media.grid = try optional(in: WorkerMedia.grids, "a grid").map { Int($0) }
        media.tags = try list(atMost: WorkerMedia.mostTags) { (reader: inout WireReader) throws(WireError) in
            WorkerMedia.Tag(
                try reader.text(atMost: WorkerMedia.longestText), try reader.text(atMost: WorkerMedia.longestLyrics))
        }
        media.chapters = try list(atMost: WorkerMedia.mostChapters) { (reader: inout WireReader) throws(WireError) in
            Chapter(
                start: try reader.seconds(), end: try reader.seconds(),
                title: try reader.text(atMost: WorkerMedia.longestText))
        }
        media.hasPicture = try flag()
        media.isCut = try flag()
        return media
    }

    mutating func progress() throws(WireError) -> WorkerProgress {
        let progress = WorkerProgress(
            frames: Int(try integer(UInt32.self)), endOfStream: try flag(), damage: Int(try integer(UInt32.self)),
            format: try flag() ? try format() : nil, duration: try optional(in: WorkerMedia.lengths, "a length"))
        // For the maximum of 8 channels.
        guard progress.frames <= SharedMemory.sampleCapacity / 8 else {
            throw WireError(problem: "it claims more samples than there is room for")
        }
        return progress
    }

    /// A position in the media.
    mutating func seconds() throws(WireError) -> Double {
        try number(in: 0...WorkerMedia.clocks.upperBound, "a time")
    }

    fileprivate mutating func format() throws(WireError) -> AudioFormat {
        let rate = Int(try integer(UInt32.self))
        let positions = try block().prefix(9).compactMap(ChannelPosition.init)
        guard AudioFormat.workerRates.contains(rate), (1...8).contains(positions.count) else {
            throw WireError(problem: "a sample format is invalid")
        }
        return AudioFormat(sampleRate: rate, layout: ChannelLayout(positions: positions))
    }
}

extension AudioFormat {
    /// Sample rates of the worker's output: up to DSD512, which becomes PCM at an eighth of its rate.
    public static let workerRates = 1_000...2_822_400
}
