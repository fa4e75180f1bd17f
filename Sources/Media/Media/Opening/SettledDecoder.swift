// SPDX-License-Identifier: Apache-2.0

internal import Audio
internal import Playback

/// A decoder of what its server gives in one go only: it cannot be searched while it comes, but once all of it is in memory.
/// It is opened anew for that, as decoders look at once whether they may go back and forth.
final class SettledDecoder: AudioDecoder {
    private var decoder: any AudioDecoder
    private let source: HTTPSource
    private let selection: DecoderSelection
    private(set) var media: MediaDescription

    /// nil for what needs none: it can be searched already, or in no case.
    /// `head`: its first bytes. They are not read again: the decoder may stand elsewhere by now.
    init?(_ decoder: any AudioDecoder, _ source: HTTPSource, head: [UInt8], _ selection: DecoderSelection) {
        guard !decoder.media.isSeekable, FileSignature(head) != .transportStream else { return nil }
        (self.decoder, self.source, self.selection) = (decoder, source, selection)
        media = decoder.media
    }

    var sourceOffset: Int64? { decoder.sourceOffset }

    func decode(into samples: UnsafeMutableBufferPointer<Float>) throws(MediaError) -> DecodedFrames {
        let result = try decoder.decode(into: samples)
        let hasChanged = refresh()
        return DecodedFrames(
            frames: result.frames, endOfStream: result.endOfStream, mediaChanged: result.mediaChanged || hasChanged)
    }

    func seek(to frame: FrameCount) throws(MediaError) -> FrameCount {
        if !decoder.media.isSeekable, source.isSeekable { decoder = try selection.open(source) }
        defer { refresh() }
        return try decoder.seek(to: frame)
    }

    /// Whether there is news.
    @discardableResult private func refresh() -> Bool {
        var new = decoder.media
        new.isSeekable = new.isSeekable || source.isSeekable
        defer { media = new }
        return new != media
    }
}
