// SPDX-License-Identifier: Apache-2.0

public import Playback

/// Other forms of media for the API: scaled pictures, frames of videos, waveforms. It exists so that the verbs do not
/// depend on decoders. All members may block for seconds; dedicated threads call them concurrently.
public protocol MediaRenditions: Sendable {
    /// The frame that a video shows at `seconds`, as a JPEG with edges of at most `edge`; nil after its end. Throws
    /// `unsupported` without video.
    func thumbnail(_ locator: MediaLocator, at seconds: Double, edge: Int) throws(MediaError) -> VideoThumbnail?
    /// Stored thumbnails, newest first.
    func thumbnails() -> [KeptThumbnail]
    /// A picture as a JPEG with edges of at most `edge`. Throws `unsupported` for data that is no picture, and for
    /// pictures that are too large.
    func scaled(_ picture: [UInt8], edge: Int) throws(MediaError) -> [UInt8]
    /// The loudest sample of each of `count` equal parts.
    func waveform(
        _ locator: MediaLocator, count: Int, cancellation: MediaCancellation
    ) throws(MediaError) -> MediaWaveform
}

public struct VideoThumbnail: Hashable, Sendable {
    /// Time of the frame in seconds, at or before the requested one.
    public var time: Double
    public var jpeg: [UInt8]

    public init(time: Double, jpeg: [UInt8]) {
        self.time = time
        self.jpeg = jpeg
    }
}

/// A stored thumbnail, without its picture.
public struct KeptThumbnail: Hashable, Sendable {
    public var uri: String
    /// The requested time.
    public var seconds: Double
    public var edge: Int
    /// As in `VideoThumbnail`.
    public var time: Double
    public var bytes: Int

    public init(uri: String, seconds: Double, edge: Int, time: Double, bytes: Int) {
        self.uri = uri
        self.seconds = seconds
        self.edge = edge
        self.time = time
        self.bytes = bytes
    }
}

public struct MediaWaveform: Hashable, Sendable {
    /// Seconds.
    public var duration: Double
    /// 0...1 of full scale, the louder channel.
    public var peaks: [Double]

    public init(duration: Double, peaks: [Double]) {
        self.duration = duration
        self.peaks = peaks
    }
}
