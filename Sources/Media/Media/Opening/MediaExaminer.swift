// SPDX-License-Identifier: Apache-2.0

public import Playback

/// Makes decoders of one family of formats. The protocol decouples the opener from codec libraries; the executable passes in the
/// factories.
public protocol DecoderFactory: Sendable {
    /// Whether `source` looks like this family. `head`: the first 4,096 bytes, or fewer of a shorter source. May read more if a tag
    /// hides the beginning. Must be quick: a decoder may still refuse the source.
    func recognises(_ head: [UInt8], of source: any ByteSource) throws(MediaError) -> Bool

    /// Opens the source up to the first decodable frame. Throws `unsupported` or `empty` if there is none.
    func open(_ source: any ByteSource) throws(MediaError) -> any AudioDecoder

    /// The facts for a catalogue of tens of thousands of files: reads little, decodes nothing, loads no picture.
    func outline(_ source: any ByteSource) throws(MediaError) -> MediaOutline

    /// Lyrics from the tags; nil without any.
    func lyrics(in source: any ByteSource) throws(MediaError) -> String?
}

extension DecoderFactory {
    public func outline(_ source: any ByteSource) throws(MediaError) -> MediaOutline {
        var media = try open(source).media
        let hasPicture = media.tags.picture != nil
        media.tags.picture = nil
        return MediaOutline(media: media, hasPicture: hasPicture)
    }

    public func lyrics(in source: any ByteSource) throws(MediaError) -> String? { nil }
}

/// A file as a catalogue lists it.
public struct MediaOutline: Hashable, Sendable {
    /// Without the picture; the length may be an estimate.
    public var media: MediaDescription
    /// The tags contain a picture, or may do so.
    public var hasPicture: Bool

    public init(media: MediaDescription, hasPicture: Bool) {
        self.media = media
        self.hasPicture = hasPicture
    }
}

/// Opens or examines media with the first factory that recognises them.
public struct MediaExaminer: Sendable {
    static let headSize = 4_096

    private let factories: [any DecoderFactory]

    /// `factories` are asked in order.
    public init(factories: [any DecoderFactory]) { self.factories = factories }

    /// Format, length and tags from a few reads, without decoding or loading the picture. Blocks on the source.
    public func outline(of source: any ByteSource) throws(MediaError) -> MediaOutline {
        try factory(for: source).outline(source)
    }

    /// Opens the source for decoding. Blocks on the source.
    public func open(_ source: any ByteSource) throws(MediaError) -> any AudioDecoder {
        try factory(for: source).open(source)
    }

    /// Lyrics from the tags; nil without any. Blocks on the source.
    public func lyrics(in source: any ByteSource) throws(MediaError) -> String? {
        try factory(for: source).lyrics(in: source)
    }

    private func factory(for source: any ByteSource) throws(MediaError) -> any DecoderFactory {
        let head = try source.bytes(at: 0, count: Self.headSize)
        for factory in factories where try factory.recognises(head, of: source) { return factory }
        switch MediaListFormat(head, isNamedList: MediaListFormat.isListName(source.name)) {
        case .hls:
            throw MediaError(
                .unsupported,
                "\(source.name) is an HLS stream (HTTP Live Streaming), which is played from the web only.")
        case .m3u, .pls, .xml:
            throw MediaError(
                .unsupported,
                "\(source.name) is a playlist or feed, not a single file: add it to the queue, which takes its entries."
            )
        case nil: break
        }
        let guess = FileSignature(head).map { "it is \($0.rawValue)" } ?? "it contains no playable audio"
        throw MediaError(.unsupported, "\(source.name) cannot be played: \(guess).")
    }
}
