// SPDX-License-Identifier: Apache-2.0

public import Playback

/// Other forms of media that the API hands out: pictures in another size, frames of videos, waveforms. It exists so that
/// the verbs do not depend on decoders. All members may block for seconds; they are called on threads of their
/// own, several at once.
public protocol MediaRenditions: Sendable {
    /// The frame that a video shows at `seconds`, as JPEG with no edge longer than `edge`; nil behind its end. Throws
    /// `unsupported` for what has no video.
    func thumbnail(_ locator: MediaLocator, at seconds: Double, edge: Int) throws(MediaError) -> VideoThumbnail?
    /// Frames that were made before and are kept, the newest first.
    func thumbnails() -> [KeptThumbnail]
    /// A picture as JPEG with no edge longer than `edge`. Throws `unsupported` for what is no picture, or too large a one.
    func scaled(_ picture: [UInt8], edge: Int) throws(MediaError) -> [UInt8]
    /// The loudest samples of `count` equal parts.
    func waveform(
        _ locator: MediaLocator, count: Int, cancellation: MediaCancellation
    ) throws(MediaError) -> MediaWaveform
}

public struct VideoThumbnail: Hashable, Sendable {
    /// Seconds: when the frame is shown, at or before the time that was asked for.
    public var time: Double
    public var jpeg: [UInt8]

    public init(time: Double, jpeg: [UInt8]) {
        self.time = time
        self.jpeg = jpeg
    }
}

/// A frame that is kept, without the picture.
public struct KeptThumbnail: Hashable, Sendable {
    public var uri: String
    /// As it was asked for.
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
