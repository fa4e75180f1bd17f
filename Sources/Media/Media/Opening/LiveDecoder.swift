// SPDX-License-Identifier: Apache-2.0

internal import Audio
internal import Playback

/// A decoder of a live stream: it has no length and no end, and the title changes with the frame that it holds from. What was
/// taken for one may turn out to have an end.
final class LiveDecoder: AudioDecoder {
    private let decoder: any AudioDecoder
    private let source: HTTPSource
    private(set) var media: MediaDescription

    init(_ decoder: any AudioDecoder, _ source: HTTPSource) {
        self.decoder = decoder
        self.source = source
        media = decoder.media
        _ = refresh()
    }

    var sourceOffset: Int64? { decoder.sourceOffset }

    func decode(into samples: UnsafeMutableBufferPointer<Float>) throws(MediaError) -> DecodedFrames {
        let result = try decoder.decode(into: samples)
        let hasChanged = refresh()
        guard !result.endOfStream || media.broadcast == nil else {
            throw MediaError(.network, "\(source.name): nothing that could be played comes any more.")
        }
        return DecodedFrames(frames: result.frames, endOfStream: result.endOfStream, mediaChanged: hasChanged)
    }

    func seek(to frame: FrameCount) throws(MediaError) -> FrameCount {
        throw MediaError(.unsupported, "\(source.name) is a live stream: it cannot be searched.")
    }

    /// Whether there is news.
    private func refresh() -> Bool {
        var new = decoder.media
        new.duration = nil
        new.durationIsExact = false
        new.isSeekable = false
        new.audioBytes = nil
        new.broadcast = source.broadcast(at: decoder.sourceOffset)
        defer { media = new }
        return new != media
    }
}
