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
}
