// SPDX-License-Identifier: Apache-2.0

internal import Audio
public import Playback

/// Opens the parts of a one-shot item as if they were one file. All parts are open before the first plays, so that a slow server
/// delays the start instead of causing a gap.
public struct PartsOpener: MediaOpener {
    private let opener: any MediaOpener

    public init(_ opener: any MediaOpener) { self.opener = opener }

    public func open(
        _ locator: MediaLocator, cancellation: MediaCancellation, loading: @escaping @Sendable (MediaLoading) -> Void
    ) throws(MediaError) -> any AudioDecoder {
        guard let oneShot = locator.oneShot, !oneShot.parts.isEmpty else {
            return try opener.open(locator, cancellation: cancellation, loading: loading)
        }
        let uris = [locator.uri] + oneShot.parts
        let progress = PartsLoading(count: uris.count, report: loading)
        var decoders: [any AudioDecoder] = []
        for (index, uri) in uris.enumerated() {
            var part = locator
            part.uri = uri
            part.oneShot?.parts = []
            do throws(MediaError) {
                let decoder = try opener.open(part, cancellation: cancellation.part()) {
                    progress.receive($0, of: index)
                }
                progress.opened(decoder.media, index)
                decoders.append(decoder)
            } catch {
                var error = error
                error.part = index
                throw error
            }
        }
        return PartsDecoder(decoders, progress)
    }
}

/// Plays several media one after another, as one.
final class PartsDecoder: AudioDecoder {
    private let parts: [any AudioDecoder]
    private let progress: PartsLoading
    private var index = 0
    /// Parts before this one have been read.
    private var firstFresh = 1
    private(set) var media: MediaDescription

    init(_ parts: [any AudioDecoder], _ progress: PartsLoading) {
        (self.parts, self.progress) = (parts, progress)
        media = parts[0].media
        refresh()
    }

    func decode(into samples: UnsafeMutableBufferPointer<Float>) throws(MediaError) -> DecodedFrames {
        let result = try parts[index].decode(into: samples)
        let isLast = index == parts.count - 1
        if result.endOfStream, !isLast { try enter(index + 1, at: 0) }
        let hasChanged = refresh()
        return DecodedFrames(
            frames: result.frames, endOfStream: result.endOfStream && isLast,
            mediaChanged: result.mediaChanged || hasChanged)
    }

    func seek(to frame: FrameCount) throws(MediaError) -> FrameCount {
        let seconds = media.format.seconds(frame)
        var start = 0.0
        for (index, part) in parts.enumerated() {
            let length = part.media.durationInSeconds ?? 0
            if seconds < start + length || index == parts.count - 1 {
                let place = try enter(index, at: max(0, seconds - start))
                refresh()
                return media.format.frames(start) + place
            }
            start += length
        }
        return frame
    }

    /// Switches to a part, seeking in it unless it is unread and wanted from its beginning.
    @discardableResult
    private func enter(_ new: Int, at seconds: Double) throws(MediaError) -> FrameCount {
        let isFresh = new >= firstFresh && seconds == 0
        (index, firstFresh) = (new, max(firstFresh, new + 1))
        progress.entered(new)
        return isFresh ? 0 : try parts[new].seek(to: parts[new].media.format.frames(seconds))
    }

    /// Returns true if `media` changed.
    @discardableResult
    private func refresh() -> Bool {
        var new = parts[index].media
        let lengths = parts.compactMap(\.media.durationInSeconds)
        let isKnown = lengths.count == parts.count
        new.duration = isKnown ? new.format.frames(lengths.reduce(0, +)) : nil
        new.durationIsExact = false
        new.isSeekable = isKnown && parts.allSatisfy(\.media.isSeekable)
        new.decodeErrors = parts.reduce(0) { $0 + $1.media.decodeErrors }
        (new.audioBytes, new.clock) = (nil, nil)
        defer { media = new }
        return new != media
    }
}
