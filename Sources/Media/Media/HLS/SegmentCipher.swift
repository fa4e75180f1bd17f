// SPDX-License-Identifier: Apache-2.0

public import Playback

/// Takes AES-128-CBC off the segments of a stream. It decouples them from the library that can do so.
public protocol SegmentCipher: Sendable {
    /// `key` and `vector` have 16 bytes.
    func decipher(key: [UInt8], vector: [UInt8]) throws(MediaError) -> any SegmentDecryption
}

/// One segment, from its beginning. Lives on one thread.
public protocol SegmentDecryption: AnyObject {
    /// The decrypted form of these bytes, together with the rest of those before.
    func update(_ bytes: [UInt8]) throws(MediaError) -> [UInt8]

    /// The rest, without its padding. Throws when the padding is none: another key, or a segment cut short.
    func finish() throws(MediaError) -> [UInt8]
}
