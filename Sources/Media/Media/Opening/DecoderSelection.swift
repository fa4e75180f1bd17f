// SPDX-License-Identifier: Apache-2.0

internal import Playback

/// Finds the decoder for a source by its first bytes.
struct DecoderSelection: Sendable {
    static let headSize = 4_096

    /// Asked in order.
    let factories: [any DecoderFactory]

    func open(_ source: any ByteSource) throws(MediaError) -> any AudioDecoder {
        try factory(for: source).open(source)
    }

    /// Blocks on the source.
    func factory(for source: any ByteSource) throws(MediaError) -> any DecoderFactory {
        let head = try source.bytes(at: 0, count: Self.headSize)
        for factory in factories where try factory.recognises(head, of: source) { return factory }
        switch MediaListFormat(head, isNamedList: MediaListFormat.isListName(source.name)) {
        case .hls:
            throw MediaError(
                .unsupported,
                "\(source.name) is an HLS stream (HTTP Live Streaming), which is played from the web only.")
        case .m3u, .pls, .xml:
            throw MediaError(
                .unsupported, "\(source.name) is a playlist or feed, not a media: name it in `items`.")
        case nil: break
        }
        let guess = FileSignature(head).map { "it is \($0.article)" } ?? "no audio that can be played was found in it"
        throw MediaError(.unsupported, "\(source.name) cannot be played: \(guess).")
    }
}
