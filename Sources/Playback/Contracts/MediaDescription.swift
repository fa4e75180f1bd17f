// SPDX-License-Identifier: Apache-2.0

public import Audio
public import Kernel

/// The facts about a file or stream: its format, length, tags and damage.
public struct MediaDescription: Hashable, Sendable {
    /// The format of the decoded PCM.
    public var format: AudioFormat
    /// Audible frames; nil while unknown (live).
    public var duration: FrameCount?
    /// False until a scan or a header determines `duration` exactly.
    public var durationIsExact: Bool
    /// False after an approximate seek, whose preceding frames were not counted.
    public var positionIsExact = true
    /// The file is shorter than its header says.
    public var isCut = false
    public var isSeekable: Bool
    public var encoding: Encoding
    public var tags: Tags
    /// In order; may be empty.
    public var chapters: [Chapter] = []
    /// The range of the audio between the tags; nil while it or its end is unknown.
    public var audioBytes: Range<Int64>?
    /// Damaged spots skipped so far.
    public var decodeErrors = 0
    /// Set for live streams.
    public var broadcast: Broadcast?
    /// Files next to the media file; only for local files.
    public var companions = Companions()
    /// nil if the container has no clock.
    public var clock: Clock?

    public init(
        format: AudioFormat, duration: FrameCount?, durationIsExact: Bool = true, isSeekable: Bool = true,
        encoding: Encoding = Encoding(codec: "pcm"), tags: Tags = Tags()
    ) {
        self.format = format
        self.duration = duration
        self.durationIsExact = durationIsExact
        self.isSeekable = isSeekable
        self.encoding = encoding
        self.tags = tags
    }

    public var durationInSeconds: Double? { duration.map(format.seconds) }

    public struct Encoding: Hashable, Sendable {
        public enum BitrateMode: String, Sendable { case constant, variable, average, free }

        /// Name as ffprobe's `codec_name`: mp3, mp2, mp1, flac ...
        public var codec: String
        /// MPEG layer 1...3; nil for others.
        public var layer: Int?
        /// "1", "2" or "2.5" for MPEG audio.
        public var mpegVersion: String?
        public var bitrateMode: BitrateMode?
        /// Bits per second, the mean for variable bit rates.
        public var bitrate: Int?
        /// Bits per sample of lossless material.
        public var bitsPerSample: Int?

        public init(codec: String, layer: Int? = nil, bitrate: Int? = nil, bitsPerSample: Int? = nil) {
            self.codec = codec
            self.layer = layer
            self.bitrate = bitrate
            self.bitsPerSample = bitsPerSample
        }
    }

    /// Determined when the media opens, so that nobody else has to look for the files.
    public struct Companions: Hashable, Sendable {
        /// The folder has a picture. Not checked if the tags have one.
        public var hasPicture = false
        /// A file with lyrics exists.
        public var hasLyrics = false
        /// The measured loudness, for media without loudness tags.
        public var loudness: TrackLoudness?
        /// The files of the album according to the library, by which neighbours are recognised before they are opened.
        public var albumFiles: Set<PathKey> = []

        public init(hasPicture: Bool = false, hasLyrics: Bool = false) {
            self.hasPicture = hasPicture
            self.hasLyrics = hasLyrics
        }
    }

    /// The loudness, if known; tags take precedence.
    public var loudness: TrackLoudness? { tags.loudness ?? companions.loudness }

    /// True if the item at `neighbour`, whose tags are unknown, belongs to the album of this one. Without a library, a
    /// file in the same folder does if the tags have an album gain.
    public func sharesAlbum(of uri: String, with neighbour: String) -> Bool {
        guard companions.albumFiles.isEmpty else { return companions.albumFiles.contains(PathKey(neighbour)) }
        func folder(_ uri: String) -> Substring? { uri.utf8.lastIndex(of: UInt8(ascii: "/")).map { uri[..<$0] } }
        return loudness?.albumGain != nil && folder(uri) != nil && folder(uri) == folder(neighbour)
    }

    /// Aligns the parts of a stream that are decoded separately.
    public struct Clock: Hashable, Sendable {
        /// The time of the first audible frame on the container's clock, in seconds.
        public var start: Double
        /// Frames per codec block; nil if the blocks differ.
        public var grid: Int?

        public init(start: Double, grid: Int?) {
            self.start = start
            self.grid = grid
        }
    }

    public struct Tags: Hashable, Sendable {
        public var title: String?
        public var artist: String?
        public var album: String?
        public var albumArtist: String?
        public var genre: String?
        public var date: String?
        public var trackNumber: Int?
        public var trackTotal: Int?
        public var discNumber: Int?
        public var comment: String?
        public var replayGain = TrackLoudness()
        public var picture: Picture?
        /// The tags have lyrics, which are read on demand.
        public var hasLyrics = false

        public init() {}

        /// nil without loudness tags.
        public var loudness: TrackLoudness? { replayGain == TrackLoudness() ? nil : replayGain }
    }

    /// A picture from a tag. Shared, not copied: pictures can be megabytes.
    public final class Picture: Hashable, Sendable {
        public let mimeType: String
        public let bytes: [UInt8]

        public init(mimeType: String, bytes: [UInt8]) {
            self.mimeType = mimeType
            self.bytes = bytes
        }

        public static func == (left: Picture, right: Picture) -> Bool {
            left === right || (left.mimeType == right.mimeType && left.bytes == right.bytes)
        }

        public func hash(into hasher: inout Hasher) { hasher.combine(bytes.count) }
    }
}

/// The facts about a live stream: the station, and the programme that it reports.
public struct Broadcast: Hashable, Sendable {
    public var station: String?
    public var genre: String?
    public var about: String?
    public var homepage: String?
    /// Bits per second, as the station reports.
    public var bitrate: Int?
    /// nil until the station reports one.
    public var programme: Programme?

    public init() {}

    /// The part that is on the air, such as a song, as the station names it.
    public struct Programme: Hashable, Sendable {
        public var title: String?
        public var url: String?

        public init(title: String?, url: String? = nil) {
            self.title = title
            self.url = url
        }
    }
}
