// SPDX-License-Identifier: Apache-2.0

public import Playback

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

/// Looks into media without playing them, with the first decoder that recognises them.
public struct MediaExaminer: Sendable {
    private let selection: DecoderSelection

    /// `factories` are asked in order.
    public init(factories: [any DecoderFactory]) {
        selection = DecoderSelection(factories: factories)
    }

    /// Format, length and tags from a few reads: no picture is loaded, nothing is decoded. Blocks on the source.
    public func outline(of source: any ByteSource) throws(MediaError) -> MediaOutline {
        try selection.factory(for: source).outline(source)
    }

    /// For decoding. Blocks on the source.
    public func open(_ source: any ByteSource) throws(MediaError) -> any AudioDecoder { try selection.open(source) }

    /// The lyrics in the tags; nil without any. Blocks on the source.
    public func lyrics(in source: any ByteSource) throws(MediaError) -> String? {
        try selection.factory(for: source).lyrics(in: source)
    }
}
