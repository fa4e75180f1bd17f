// SPDX-License-Identifier: Apache-2.0

internal import Audio
public import Playback

/// Opens files in the music roots with the first decoder that recognises them.
public struct LocalMediaOpener: MediaOpener {
    private let roots: MusicRoots
    private let selection: MediaExaminer
    /// nil without a library.
    public var catalogue: (any TrackCatalogue)?

    /// `factories` are asked in order.
    public init(roots: MusicRoots, factories: [any DecoderFactory]) {
        self.roots = roots
        selection = MediaExaminer(factories: factories)
    }

    public func open(
        _ locator: MediaLocator, cancellation: MediaCancellation, loading: @escaping @Sendable (MediaLoading) -> Void
    ) throws(MediaError) -> any AudioDecoder {
        let source = try roots.openFile(locator.uri)
        cancellation.onCancel { source.close() }
        let decoder = try selection.open(source)
        var companions = roots.companions(of: locator.uri, needsPicture: decoder.media.tags.picture == nil)
        if let catalogue {
            (companions.loudness, companions.albumFiles) = catalogue.facts(
                of: locator.uri, needsLoudness: decoder.media.tags.loudness == nil)
        }
        if companions == .init() { return decoder }
        return CompletedDecoder(decoder) { _, media in media.companions = companions }
    }
}
