// SPDX-License-Identifier: Apache-2.0

public import Audio

/// What the worker found out about a media.
public struct WorkerMedia: Hashable, Sendable {
    public static let longestText = 8 << 10
    public static let longestLyrics = 128 << 10
    public static let mostTags = 64
    public static let mostChapters = 1_000
    /// Of a media in frames or bytes: centuries, and no sum of two overflows.
    public static let lengths: ClosedRange<Int64> = 0...(1 << 48)
    /// Bits per second, and of a sample.
    static let bitrates: ClosedRange<Int64> = 1...(1 << 40)
    static let depths: ClosedRange<Int64> = 1...64
    static let grids: ClosedRange<Int64> = 1...(1 << 20)
    /// Seconds on a clock, which may begin before 0.
    static let clocks = -Double(1 << 40)...Double(1 << 40)

    public var format: AudioFormat
    /// Audible frames; nil while unknown.
    public var duration: Int64?
    public var durationIsExact: Bool
    /// The file ends before the length in its header.
    public var isCut = false
    public var isSeekable: Bool
    /// FFmpeg's name, as ffprobe's `codec_name`.
    public var codec: String
    /// Bits per second; nil when the headers do not have it.
    public var bitrate: Int?
    /// Of lossless codings.
    public var bitsPerSample: Int?
    /// Seconds of the first frame on the container's clock; nil without one.
    public var start: Double?
    /// Frames that are coded together; nil when they differ.
    public var grid: Int?
    /// As they stand in the file, names in lower case.
    public var tags: [Tag] = []
    public var chapters: [Chapter] = []
    public var hasPicture = false

    /// Without what the server would not take: FFmpeg passes on whatever a file claims.
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

/// How far decoding has come.
public struct WorkerProgress: Hashable, Sendable {
    public var frames: Int
    public var endOfStream: Bool
    /// Damaged spots since the media was opened.
    public var damage: Int
    /// From the next frames on; nil when it stays.
    public var format: AudioFormat?
    /// Found out at the end; nil when it stays.
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
            format: try format(), duration: try optional(Self.length), durationIsExact: try flag(),
            isSeekable: try flag(), codec: try name(),
            bitrate: try optional { (reader: inout WireReader) throws(WireError) in
                Int(try reader.number(in: WorkerMedia.bitrates, "a bitrate"))
            },
            bitsPerSample: try optional { (reader: inout WireReader) throws(WireError) in
                Int(try reader.number(in: WorkerMedia.depths, "a sample's size"))
            })
        media.start = try optional { (reader: inout WireReader) throws(WireError) in
            let start = try reader.number()
            guard WorkerMedia.clocks.contains(start) else { throw WireError(problem: "a clock is invalid") }
            return start
        }
        media.grid = try optional { (reader: inout WireReader) throws(WireError) in
            Int(try reader.number(in: WorkerMedia.grids, "a grid"))
        }
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
            format: try optional { (reader: inout WireReader) throws(WireError) in try reader.format() },
            duration: try optional(Self.length))
        // Of the most channels that there may be.
        guard progress.frames <= SharedMemory.sampleCapacity / 8 else {
            throw WireError(problem: "it claims more samples than there is room for")
        }
        return progress
    }

    private static func length(_ reader: inout WireReader) throws(WireError) -> Int64 {
        try reader.number(in: WorkerMedia.lengths, "a length")
    }

    /// Of a media, from its beginning.
    mutating func seconds() throws(WireError) -> Double {
        let time = try number()
        guard (0...WorkerMedia.clocks.upperBound).contains(time) else { throw WireError(problem: "a time is invalid") }
        return time
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
    /// Rates that the worker hands out: up to DSD512, an eighth of which its PCM has.
    public static let workerRates = 1_000...2_822_400
}
