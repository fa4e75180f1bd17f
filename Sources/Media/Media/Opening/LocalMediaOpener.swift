// SPDX-License-Identifier: Apache-2.0

internal import Audio
public import Playback

/// Opens files in the music roots with the first decoder that recognises them.
public struct LocalMediaOpener: MediaOpener {
    private let roots: MusicRoots
    private let selection: DecoderSelection
    /// nil without a library.
    public var catalogue: (any TrackCatalogue)?

    /// `factories` are asked in order.
    public init(roots: MusicRoots, factories: [any DecoderFactory]) {
        self.roots = roots
        selection = DecoderSelection(factories: factories)
    }

    public func open(
        _ locator: MediaLocator, cancellation: MediaCancellation, loading: @escaping @Sendable (MediaLoading) -> Void
    ) throws(MediaError) -> any AudioDecoder {
        let source = try roots.openFile(locator.uri)
        cancellation.onCancel { source.close() }
        let decoder = try selection.open(source)
        var companions = roots.companions(of: locator.uri, needsPicture: decoder.media.tags.picture == nil)
        if let catalogue {
            if decoder.media.tags.loudness == nil { companions.loudness = catalogue.loudness(of: locator.uri) }
            companions.albumFiles = catalogue.albumFiles(of: locator.uri)
        }
        return companions == .init() ? decoder : AccompaniedDecoder(decoder, companions)
    }
}

/// A decoder of a file that has something beside it.
private final class AccompaniedDecoder: AudioDecoder {
    private let decoder: any AudioDecoder
    private let companions: MediaDescription.Companions

    init(_ decoder: any AudioDecoder, _ companions: MediaDescription.Companions) {
        self.decoder = decoder
        self.companions = companions
    }

    var media: MediaDescription {
        var media = decoder.media
        media.companions = companions
        return media
    }

    var sourceOffset: Int64? { decoder.sourceOffset }

    func decode(into samples: UnsafeMutableBufferPointer<Float>) throws(MediaError) -> DecodedFrames {
        try decoder.decode(into: samples)
    }

    func seek(to frame: FrameCount) throws(MediaError) -> FrameCount { try decoder.seek(to: frame) }
}
