// SPDX-License-Identifier: Apache-2.0

public import Audio
public import Kernel

/// Opens media. The protocol keeps files, networks and codecs out of the player and its tests.
public protocol MediaOpener: Sendable {
    /// Finds, opens and recognises the media, up to the first decodable frame.
    ///
    /// Called on the item's decode thread, where it may block; `cancellation` ends the wait from any thread.
    ///
    /// `loading` receives the progress of network media for as long as they are open: from any thread, in order. It does
    /// not block. It is not called for local media.
    func open(
        _ locator: MediaLocator, cancellation: MediaCancellation, loading: @escaping @Sendable (MediaLoading) -> Void
    ) throws(MediaError) -> any AudioDecoder
}

extension MediaOpener {
    public func open(_ locator: MediaLocator, cancellation: MediaCancellation) throws(MediaError) -> any AudioDecoder {
        try open(locator, cancellation: cancellation, loading: { _ in })
    }
}

/// The address of media to play.
public struct MediaLocator: Hashable, Sendable {
    /// A path relative to a music root, a `file:` URL inside one, or an `http(s):` URL.
    public var uri: String
    /// Extra request headers for network sources.
    public var headers: [String: String]
    /// The queue item that is opened for playback.
    public var item: ItemID?
    /// nil for music.
    public var oneShot: OneShot?
    /// The networks that `uri` may lead to.
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

    /// The media of a queue item.
    public init(_ draft: ItemDraft, item: ItemID? = nil) {
        self.init(uri: draft.uri, headers: draft.headers, item: item, oneShot: draft.oneShot, reach: draft.reach)
    }

    /// `uri` is a web address.
    public var isNetwork: Bool { Self.isNetwork(uri) }

    /// True if the scheme of `uri` is http or https; the rest may be malformed.
    public static func isNetwork(_ uri: String) -> Bool {
        // Called for each item of a long queue, so only the scheme is read.
        guard let colon = uri.utf8.prefix(6).firstIndex(of: UInt8(ascii: ":")) else { return false }
        return ["http", "https"].contains(uri[..<colon].lowercased())
    }
}

/// Compares the bytes of `uri`, like `PathKey`.
extension MediaLocator {
    public static func == (left: MediaLocator, right: MediaLocator) -> Bool {
        PathKey(left.uri) == PathKey(right.uri) && left.headers == right.headers && left.item == right.item
            && left.oneShot == right.oneShot && left.reach == right.reach
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(PathKey(uri))
        hasher.combine(headers)
    }
}

/// Decodes an open media to PCM. Used on one decode thread; deliberately not Sendable.
public protocol AudioDecoder: AnyObject {
    /// The description so far; read again when `decode` reports `mediaChanged`.
    var media: MediaDescription { get }

    /// Decodes the next frames, interleaved float32 in `media.format`, into `samples` (any number of whole frames). May
    /// block on its source. Damaged parts are skipped and counted, and do not throw.
    func decode(into samples: UnsafeMutableBufferPointer<Float>) throws(MediaError) -> DecodedFrames

    /// The source offset of the frames that were decoded last; nil if unknown. Titles of live streams refer to it.
    var sourceOffset: Int64? { get }

    /// Makes `frame` exactly the next decoded frame; 0 is the first audible frame, after any encoder delay. Past the end,
    /// the next `decode` reports the end. Returns the frame that comes next.
    func seek(to frame: FrameCount) throws(MediaError) -> FrameCount
}

extension AudioDecoder {
    public var sourceOffset: Int64? { nil }
}

public struct DecodedFrames: Hashable, Sendable {
    /// Frames written to the buffer, in the format of `media` before the call.
    public var frames: Int
    /// This was the end; the call may still have returned frames.
    public var endOfStream: Bool
    /// `media` has changed (format, duration, tags, damage count). A new format applies from the next call on.
    public var mediaChanged: Bool

    public init(frames: Int, endOfStream: Bool = false, mediaChanged: Bool = false) {
        self.frames = frames
        self.endOfStream = endOfStream
        self.mediaChanged = mediaChanged
    }
}

/// A failure to play media. The code names the remedy; the message is a sentence.
public struct MediaError: Error, Hashable, Sendable {
    public enum Code: String, Sendable {
        /// There is no such file: check the address.
        case notFound = "not-found"
        /// Outside the music roots, or no permission.
        case forbidden
        /// A server referred to an address that is more private than its own.
        case privateAddress = "private-address"
        /// It opened but reading failed (I/O error, directory, truncated meanwhile).
        case unreadable
        /// It has no audio that a decoder supports.
        case unsupported
        /// Recognised, but without audio (0 frames).
        case empty
        /// The decoder process crashed, hung or could not start; most likely because of the media.
        case decoderFailed = "decoder-failed"
        /// The network failed; a retry may succeed.
        case network
        /// Cancelled by the user or the player; never shown.
        case cancelled
    }

    public var code: Code
    public var message: String
    /// The index of the failed media, if several play as one.
    public var part: Int?

    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}

/// An announcement or effect sound: plays once, and has an end, so it is never treated as a live stream.
public struct OneShot: Hashable, Sendable {
    /// Maximum seconds from loading to the first sound, and of silence in between.
    public var timeout: Double
    /// Media that follow the item's own media without a gap.
    public var parts: [String]

    public init(timeout: Double, parts: [String] = []) {
        self.timeout = timeout
        self.parts = parts
    }
}

/// The loaded part of network media. Reported while it opens and plays, a few times a second at most.
public struct MediaLoading: Hashable, Sendable {
    /// Loaded bytes: ascending, without overlaps.
    public var ranges: [Range<Int64>]
    /// Total bytes; nil while unknown.
    public var size: Int64?
    /// The next byte to be read.
    public var place: Int64
    /// 0 while nothing loads.
    public var bytesPerSecond: Double
    /// Data is expected and none arrives.
    public var isStalled: Bool
    /// Loading pauses until more is played: everything is loaded, or there is no room.
    public var isSatisfied: Bool
    /// For HLS, whose bytes do not correspond to time: `ranges`, `size` and `place` count this many units per second.
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
