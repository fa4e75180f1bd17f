// SPDX-License-Identifier: Apache-2.0

public import Audio
public import Kernel

/// Opens media for the player. It decouples the player from files, networks and codecs, so that the player can be
/// tested without them.
public protocol MediaOpener: Sendable {
    /// Finds, opens and recognises the media, up to the first decodable frame.
    ///
    /// Called on the item's decode thread and may block there; `cancellation` ends the wait from any thread.
    ///
    /// `loading` receives what has arrived of media that comes over a network, for as long as it is open: from any
    /// thread, in order; it does not block. Of local media it hears nothing.
    func open(
        _ locator: MediaLocator, cancellation: MediaCancellation, loading: @escaping @Sendable (MediaLoading) -> Void
    ) throws(MediaError) -> any AudioDecoder
}

extension MediaOpener {
    public func open(_ locator: MediaLocator, cancellation: MediaCancellation) throws(MediaError) -> any AudioDecoder {
        try open(locator, cancellation: cancellation, loading: { _ in })
    }
}

/// The media that the user asked to play.
public struct MediaLocator: Hashable, Sendable {
    /// A path relative to a music root, a `file:` URL inside one, or an `http(s):` URL.
    public var uri: String
    /// Extra request headers for network sources.
    public var headers: [String: String]
    /// Of the queue, when it is opened to be played.
    public var item: ItemID?
    /// nil for music.
    public var oneShot: OneShot?
    /// Where `uri` may lead.
    public var reach: NetworkReach

    public init(
        uri: String, headers: [String: String] = [:], item: ItemID? = nil, oneShot: OneShot? = nil,
        reach: NetworkReach = .anywhere
    ) {
        self.uri = uri
        self.headers = headers
        self.item = item
        self.oneShot = oneShot
        self.reach = reach
    }

    /// The media of a queue entry.
    public init(_ draft: ItemDraft, item: ItemID? = nil) {
        self.init(uri: draft.uri, headers: draft.headers, item: item, oneShot: draft.oneShot, reach: draft.reach)
    }

    /// Comes from a web server.
    public var isNetwork: Bool { Self.isNetwork(uri) }

    /// Whether `uri` asks for the web, by its scheme, well-formed or not.
    public static func isNetwork(_ uri: String) -> Bool {
        // Asked for each item of a long queue: no more than the scheme is looked at.
        guard let colon = uri.utf8.prefix(6).firstIndex(of: UInt8(ascii: ":")) else { return false }
        return ["http", "https"].contains(uri[..<colon].lowercased())
    }
}

/// PCM of one opened media. Lives on one decode thread; not Sendable by intent.
public protocol AudioDecoder: AnyObject {
    /// The facts so far; read again when a `decode` reports `mediaChanged`.
    var media: MediaDescription { get }

    /// Decodes the next frames, interleaved float32 in `media.format`, into `samples` (any count of whole
    /// frames). May block on its source. Damaged parts are skipped and counted, never thrown.
    func decode(into samples: UnsafeMutableBufferPointer<Float>) throws(MediaError) -> DecodedFrames

    /// Offset in the source of what was decoded last; nil when not known. Where a live stream's titles belong.
    var sourceOffset: Int64? { get }

    /// Makes `frame` (0 = first audible frame after any encoder delay) the next decoded frame, exactly. Past the end,
    /// the next `decode` reports the end. Returns the frame that comes next.
    func seek(to frame: FrameCount) throws(MediaError) -> FrameCount
}

extension AudioDecoder {
    public var sourceOffset: Int64? { nil }
}

public struct DecodedFrames: Hashable, Sendable {
    /// Frames written to the buffer, in the format that `media` gave before this call.
    public var frames: Int
    /// Nothing follows. Frames may come with it.
    public var endOfStream: Bool
    /// `media` has new values (format, duration, tags, damage count); a new format holds from the next call on.
    public var mediaChanged: Bool

    public init(frames: Int, endOfStream: Bool = false, mediaChanged: Bool = false) {
        self.frames = frames
        self.endOfStream = endOfStream
        self.mediaChanged = mediaChanged
    }
}

/// Why media cannot be played. The case is chosen by what the user can do about it; each carries a sentence.
public struct MediaError: Error, Hashable, Sendable {
    public enum Code: String, Sendable {
        /// Nothing there: check the address.
        case notFound = "not-found"
        /// Outside the music roots, or no permission.
        case forbidden
        /// A server named an address that is more private than its own.
        case privateAddress = "private-address"
        /// Opened, but reading failed (I/O error, directory, truncated under our feet).
        case unreadable
        /// No audio in it that a decoder here understands.
        case unsupported
        /// Recognised, but nothing playable in it (0 frames).
        case empty
        /// The program that decodes it crashed, hung or could not be started: the fault of the media, most likely.
        case decoderFailed = "decoder-failed"
        /// The network failed; a later try may succeed.
        case network
        /// The user or the engine ended it; never shown.
        case cancelled
    }

    public var code: Code
    public var message: String
    /// Index of the media at fault, where several are heard as one.
    public var part: Int?

    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}

/// A sound that is heard once and as a whole: an announcement or an effect. It has an end, so it is never taken for a live
/// stream.
public struct OneShot: Hashable, Sendable {
    /// Seconds from loading to the first sound, and of silence in between. What takes longer has failed.
    public var timeout: Double
    /// Media that follow the item's own without a gap.
    public var parts: [String]

    public init(timeout: Double, parts: [String] = []) {
        self.timeout = timeout
        self.parts = parts
    }
}

/// The loaded part of network media. Reported while it is opened and played, a few times a second at most.
public struct MediaLoading: Hashable, Sendable {
    /// Bytes that are at hand, in order, apart from each other.
    public var ranges: [Range<Int64>]
    /// Bytes in all; nil while unknown.
    public var size: Int64?
    /// The byte that is read next.
    public var place: Int64
    /// 0 while nothing is being loaded.
    public var bytesPerSecond: Double
    /// More is wanted and nothing comes.
    public var isStalled: Bool
    /// No more comes before some of it is played: all of it is there, or there is no room.
    public var isSatisfied: Bool
    /// Of an HLS stream, whose bytes do not show time: `ranges`, `size` and `place` count so many a second of it.
    public var unitsPerSecond: Double?

    public init(
        ranges: [Range<Int64>] = [], size: Int64? = nil, place: Int64 = 0, bytesPerSecond: Double = 0,
        isStalled: Bool = false, isSatisfied: Bool = false
    ) {
        self.ranges = ranges
        self.size = size
        self.place = place
        self.bytesPerSecond = bytesPerSecond
        self.isStalled = isStalled
        self.isSatisfied = isSatisfied
    }

    /// Bytes that can be read from `place` on without waiting.
    public var bytesAhead: Int64 { ranges.first { $0.contains(place) }.map { $0.upperBound - place } ?? 0 }
}
