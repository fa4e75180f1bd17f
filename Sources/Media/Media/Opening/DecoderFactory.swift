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
