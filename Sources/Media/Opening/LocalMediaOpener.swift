// SPDX-License-Identifier: Apache-2.0

public import Playback

/// Opens files in the music roots with the first decoder that recognises them.
public struct LocalMediaOpener: MediaOpener {
    private let roots: MusicRoots
    private let examiner: MediaExaminer

    /// `factories` are asked in order.
    public init(roots: MusicRoots, factories: [any DecoderFactory]) {
        self.roots = roots
        examiner = MediaExaminer(factories: factories)
    }

    public func open(_ locator: MediaLocator, cancellation: MediaCancellation) throws(MediaError) -> any AudioDecoder {
        let source = try roots.openFile(locator.uri)
        cancellation.onCancel { source.close() }
        return try examiner.factory(for: source).open(source)
    }
}
