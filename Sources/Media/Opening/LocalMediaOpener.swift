// SPDX-License-Identifier: Apache-2.0

public import Playback

/// Opens files in the music roots with the first decoder that recognises them.
public struct LocalMediaOpener: MediaOpener {
    private let roots: MusicRoots
    private let selection: DecoderSelection

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
        return try selection.open(source)
    }
}
