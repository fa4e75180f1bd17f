// SPDX-License-Identifier: Apache-2.0

public import Audio
public import Kernel

/// Facts of one media: its format, length, tags and health.
public struct MediaDescription: Hashable, Sendable {
    /// Shape of the decoded PCM.
    public var format: AudioFormat
    /// Audible frames; nil while unknown (live).
    public var duration: FrameCount?
    /// False until a scan or a header makes `duration` final.
    public var durationIsExact: Bool
    /// False after a seek that went to a place which is only near: the frames before it were not counted.
    public var positionIsExact = true
    /// The file ends before the length that its header gives.
    public var isCut = false
    public var isSeekable: Bool
    public var encoding: Encoding
    public var tags: Tags
    /// In order; empty without any.
    public var chapters: [Chapter] = []
    /// Where the audio lies between the tags; nil when that or its end is unknown.
    public var audioBytes: Range<Int64>?
    /// Damaged spots skipped so far.
    public var decodeErrors: Int
    /// nil for what has an end.
    public var broadcast: Broadcast?
    /// Files beside the media file; none for media from elsewhere.
    public var companions = Companions()
    /// nil where the container has none.
    public var clock: Clock?

    public init(
        format: AudioFormat, duration: FrameCount?, durationIsExact: Bool = true, isSeekable: Bool = true,
        encoding: Encoding = Encoding(codec: "pcm"), tags: Tags = Tags(), decodeErrors: Int = 0
    ) {
        self.format = format
        self.duration = duration
        self.durationIsExact = durationIsExact
        self.isSeekable = isSeekable
        self.encoding = encoding
        self.tags = tags
        self.decodeErrors = decodeErrors
    }

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

        public init(
            codec: String, layer: Int? = nil, mpegVersion: String? = nil, bitrateMode: BitrateMode? = nil,
            bitrate: Int? = nil, bitsPerSample: Int? = nil
        ) {
            self.codec = codec
            self.layer = layer
            self.mpegVersion = mpegVersion
            self.bitrateMode = bitrateMode
            self.bitrate = bitrate
            self.bitsPerSample = bitsPerSample
        }
    }

    /// Found when the media is opened, so that nobody has to look for them to know whether they are there.
    public struct Companions: Hashable, Sendable {
        /// The folder has a picture. Not looked for where the tags carry one.
        public var hasPicture = false
        /// There is a file with the lyrics.
        public var hasLyrics = false
        /// As it was measured, for tags without it.
        public var loudness: TrackLoudness?
        /// The files of its album, as the library knows them: neighbours that are not opened yet are recognised by them.
        public var albumFiles: Set<PathKey> = []

        public init(hasPicture: Bool = false, hasLyrics: Bool = false) {
            self.hasPicture = hasPicture
            self.hasLyrics = hasLyrics
        }
    }

    /// The loudness, if known: the tags come first.
    public var loudness: TrackLoudness? { tags.loudness ?? companions.loudness }

    /// Whether the item at `neighbour`, of whose tags nothing is known, is of this media's album. Without a library, a file of
    /// the same folder counts where the tags have a gain for the album.
    public func sharesAlbum(of uri: String, with neighbour: String) -> Bool {
        guard companions.albumFiles.isEmpty else { return companions.albumFiles.contains(PathKey(neighbour)) }
        func folder(_ uri: String) -> Substring? { uri.lastIndex(of: "/").map { uri[..<$0] } }
        return loudness?.albumGain != nil && folder(uri) != nil && folder(uri) == folder(neighbour)
    }

    /// Places the parts of a stream that are decoded apart from each other.
    public struct Clock: Hashable, Sendable {
        /// Seconds of the first audible frame on the container's own clock.
        public var start: Double
        /// Frames that are coded together; nil when they differ.
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
        /// Decibels to add, as tagged.
        public var replayGainTrack: Double?
        public var replayGainAlbum: Double?
        /// Largest sample, 1 at full scale, as tagged.
        public var replayPeakTrack: Double?
        public var replayPeakAlbum: Double?
        public var picture: Picture?
        /// They carry lyrics, which are read when somebody asks for them.
        public var hasLyrics = false

        public init() {}

        /// nil where they do not have it.
        public var loudness: TrackLoudness? {
            let loudness = TrackLoudness(
                trackGain: replayGainTrack, trackPeak: replayPeakTrack, albumGain: replayGainAlbum,
                albumPeak: replayPeakAlbum)
            return loudness == TrackLoudness() ? nil : loudness
        }
    }

    /// A picture carried by a tag. Shared, not copied: pictures can be megabytes.
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

/// Facts of a live stream: the station, and the programme that it reports.
public struct Broadcast: Hashable, Sendable {
    public var station: String?
    public var genre: String?
    public var about: String?
    public var homepage: String?
    /// Bits per second, as the station reports.
    public var bitrate: Int?
    /// nil until the station has sent one.
    public var programme: Programme?

    public init() {}

    /// A song, or whatever the station calls the part that is on the air.
    public struct Programme: Hashable, Sendable {
        public var title: String?
        public var url: String?

        public init(title: String?, url: String? = nil) {
            self.title = title
            self.url = url
        }
    }
}
