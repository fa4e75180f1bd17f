// SPDX-License-Identifier: Apache-2.0

public import Playback

/// Opens files in the music roots with the first decoder that recognises them.
public struct LocalMediaOpener: MediaOpener {
    private static let headSize = 4_096

    private let roots: MusicRoots
    private let factories: [any DecoderFactory]

    /// `factories` are asked in order.
    public init(roots: MusicRoots, factories: [any DecoderFactory]) {
        self.roots = roots
        self.factories = factories
    }

    public func open(_ locator: MediaLocator, cancellation: MediaCancellation) throws(MediaError) -> any AudioDecoder {
        let source = try roots.openFile(locator.uri)
        cancellation.onCancel { source.close() }
        let head = try source.bytes(at: 0, count: Self.headSize)
        for factory in factories where try factory.recognises(head, of: source) {
            return try factory.open(source)
        }
        let guess = FileSignature(head).map { "it is \($0.article)" } ?? "no audio that can be played was found in it"
        throw MediaError(.unsupported, "\(source.name) cannot be played: \(guess).")
    }
}
