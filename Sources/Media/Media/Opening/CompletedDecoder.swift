// SPDX-License-Identifier: Apache-2.0

internal import Audio
internal import Playback

/// A decoder whose description is completed by what its source lies in: a folder, a catalogue, a server's stream.
class CompletedDecoder: AudioDecoder {
    fileprivate var decoder: any AudioDecoder
    private let complete: (any AudioDecoder, inout MediaDescription) -> Void
    private(set) var media: MediaDescription

    init(_ decoder: any AudioDecoder, complete: @escaping (any AudioDecoder, inout MediaDescription) -> Void) {
        (self.decoder, self.complete) = (decoder, complete)
        media = decoder.media
        refresh()
    }

    var sourceOffset: Int64? { decoder.sourceOffset }

    func decode(into samples: UnsafeMutableBufferPointer<Float>) throws(MediaError) -> DecodedFrames {
        let result = try decoder.decode(into: samples)
        let isNew = refresh()
        return DecodedFrames(
            frames: result.frames, endOfStream: result.endOfStream, mediaChanged: isNew || result.mediaChanged)
    }

    func seek(to frame: FrameCount) throws(MediaError) -> FrameCount {
        defer { refresh() }
        return try decoder.seek(to: frame)
    }

    /// Whether there is news.
    @discardableResult private func refresh() -> Bool {
        var new = decoder.media
        complete(decoder, &new)
        defer { media = new }
        return new != media
    }
}

/// A decoder of a live stream: it has no length and no end, and the title changes with the frame that it holds from. What was
/// taken for one may turn out to have an end.
final class LiveDecoder: CompletedDecoder {
    private let source: HTTPSource

    init(_ decoder: any AudioDecoder, _ source: HTTPSource) {
        self.source = source
        super.init(decoder) { decoder, media in
            (media.duration, media.durationIsExact, media.isSeekable) = (nil, false, false)
            media.audioBytes = nil
            media.broadcast = source.broadcast(at: decoder.sourceOffset)
        }
    }

    override func decode(into samples: UnsafeMutableBufferPointer<Float>) throws(MediaError) -> DecodedFrames {
        let result = try super.decode(into: samples)
        guard !result.endOfStream || media.broadcast == nil else {
            throw MediaError(.network, "\(source.name): no more playable data arrives.")
        }
        return result
    }

    override func seek(to frame: FrameCount) throws(MediaError) -> FrameCount {
        throw MediaError(.unsupported, "\(source.name) is a live stream, which is not seekable.")
    }
}

/// A decoder of what its server gives in one go only: it cannot be searched while it comes, but once all of it is in memory.
/// It is opened anew for that, as decoders look at once whether they may go back and forth.
final class SettledDecoder: CompletedDecoder {
    private let source: HTTPSource
    private let examiner: MediaExaminer

    /// nil for what needs none: it can be searched already, or in no case.
    /// `head`: its first bytes. They are not read again: the decoder may stand elsewhere by now.
    init?(_ decoder: any AudioDecoder, _ source: HTTPSource, head: [UInt8], _ examiner: MediaExaminer) {
        guard !decoder.media.isSeekable, FileSignature(head) != .transportStream else { return nil }
        (self.source, self.examiner) = (source, examiner)
        super.init(decoder) { _, media in media.isSeekable = media.isSeekable || source.isSeekable }
    }

    override func seek(to frame: FrameCount) throws(MediaError) -> FrameCount {
        if !decoder.media.isSeekable, source.isSeekable { decoder = try examiner.open(source) }
        return try super.seek(to: frame)
    }
}
