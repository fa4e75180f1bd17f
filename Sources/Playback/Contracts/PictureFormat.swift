// SPDX-License-Identifier: Apache-2.0

/// The picture formats that browsers and desktops show, recognised by their first bytes: the type that a tag or server
/// declares is often wrong, and a page would trust it.
public enum PictureFormat: String, CaseIterable, Sendable {
    case jpeg, png, gif, webp, avif, bmp

    /// The number of bytes needed to recognise a format.
    public static let headSize = 16

    /// nil for an unknown format.
    public init?(_ bytes: some Sequence<UInt8>) {
        let head = Array(bytes.prefix(Self.headSize))
        func has(_ prefix: some Sequence<UInt8>, at offset: Int = 0) -> Bool {
            head.dropFirst(offset).starts(with: prefix)
        }
        if has([0xFF, 0xD8, 0xFF]) {
            self = .jpeg
        } else if has([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
            self = .png
        } else if has("GIF87a".utf8) || has("GIF89a".utf8) {
            self = .gif
        } else if has("RIFF".utf8), has("WEBP".utf8, at: 8) {
            self = .webp
        } else if has("ftypavif".utf8, at: 4) {
            self = .avif
        } else if has("BM".utf8) {
            self = .bmp
        } else {
            return nil
        }
    }

    public var mediaType: String { "image/\(rawValue)" }

    public var fileExtension: String { self == .jpeg ? "jpg" : rawValue }
}
