// SPDX-License-Identifier: Apache-2.0

public import Playback

/// Makes decoders of one family of formats. It decouples the opener from codec libraries: the executable hands the
/// factories in.
public protocol DecoderFactory: Sendable {
    /// Whether `source` looks like something of this family. `head` holds its first bytes (4,096, or all of a shorter
    /// one); more may be read where a tag hides the beginning. Must be quick: it decides, the decoder finds out.
    func recognises(_ head: [UInt8], of source: any ByteSource) throws(MediaError) -> Bool

    /// Opens up to the first decodable frame. Throws `unsupported` or `empty` when there is none.
    func open(_ source: any ByteSource) throws(MediaError) -> any AudioDecoder

    /// What a catalogue lists, for tens of thousands of files in a row: reads little, decodes nothing, loads no picture.
    func outline(_ source: any ByteSource) throws(MediaError) -> MediaOutline

    /// The lyrics in the tags; nil without any.
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

/// A media as a catalogue lists it.
public struct MediaOutline: Hashable, Sendable {
    /// Its tags hold no picture, its length may be an estimate.
    public var media: MediaDescription
    /// The tags carry a picture, or could.
    public var hasPicture: Bool

    public init(media: MediaDescription, hasPicture: Bool) {
        self.media = media
        self.hasPicture = hasPicture
    }
}

/// Looks into media, or opens them, with the first decoder that recognises them.
public struct MediaExaminer: Sendable {
    static let headSize = 4_096

    private let factories: [any DecoderFactory]

    /// `factories` are asked in order.
    public init(factories: [any DecoderFactory]) { self.factories = factories }

    /// Format, length and tags from a few reads: no picture is loaded, nothing is decoded. Blocks on the source.
    public func outline(of source: any ByteSource) throws(MediaError) -> MediaOutline {
        try factory(for: source).outline(source)
    }

    /// For decoding. Blocks on the source.
    public func open(_ source: any ByteSource) throws(MediaError) -> any AudioDecoder {
        try factory(for: source).open(source)
    }

    /// The lyrics in the tags; nil without any. Blocks on the source.
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
                .unsupported, "\(source.name) is a playlist or feed, not a media: name it in `items`.")
        case nil: break
        }
        let guess = FileSignature(head).map { "it is \($0.rawValue)" } ?? "it contains no playable audio"
        throw MediaError(.unsupported, "\(source.name) cannot be played: \(guess).")
    }
}
