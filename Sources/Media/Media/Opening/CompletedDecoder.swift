// SPDX-License-Identifier: Apache-2.0

internal import Audio
internal import Playback

/// A decoder whose description is completed with facts from outside the file: its folder, the catalogue, a server's stream.
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

    /// Returns true if `media` changed.
    @discardableResult private func refresh() -> Bool {
        var new = decoder.media
        complete(decoder, &new)
        defer { media = new }
        return new != media
    }
}

/// A decoder of a live stream: without length or end, and with a title that changes while it plays. A presumed live stream may turn out
/// to be a file.
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

/// A decoder of a file from a server without range support. It becomes seekable once all of the file is in memory. The inner decoder is
/// opened again then, because decoders check at opening whether the source is seekable.
final class SettledDecoder: CompletedDecoder {
    private let source: HTTPSource
    private let examiner: MediaExaminer

    /// nil if the decoder is seekable already or never will be. `head`: the first bytes, passed in because reading them again would
    /// move the source's read position.
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
