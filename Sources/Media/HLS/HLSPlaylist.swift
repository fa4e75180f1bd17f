// SPDX-License-Identifier: Apache-2.0

/// The pieces of one stream (RFC 8216, section 4.3.3), in order and without holes in their numbers.
struct HLSMediaPlaylist: Hashable {
    /// Seconds; no piece is much longer.
    var targetDuration: Double
    /// Nothing will be added.
    var isEnded: Bool
    var segments: [HLSSegment]
}

/// One piece.
struct HLSSegment: Hashable {
    var sequence: Int64
    /// Seconds.
    var duration: Double
    var title: String?
    var media: HLSPart
    /// What a decoder needs before it.
    var map: HLSPart?
    /// Pieces with the same number are one recording on one clock.
    var discontinuity: Int64
    /// The server does not have it, by its own word.
    var isGap: Bool

    /// Whether one decoder reads both in one go.
    func joins(_ other: HLSSegment) -> Bool { map == other.map && discontinuity == other.discontinuity }
}

/// Bytes behind an address, ciphered or not.
struct HLSPart: Hashable {
    var address: WebAddress
    /// nil: all of them.
    var range: Range<Int64>?
    var key: HLSKey?
}

/// AES-128 in CBC mode.
struct HLSKey: Hashable {
    var address: WebAddress
    var vector: [UInt8]
}

/// What a master playlist offers (section 4.3.4).
struct HLSMasterPlaylist: Hashable {
    struct Variant: Hashable {
        var address: WebAddress
        var bandwidth: Int
        /// Empty when not told.
        var codecs: [String]
        var hasPicture: Bool
        var audioGroup: String?
    }

    /// Sound that comes apart from the picture.
    struct Rendition: Hashable {
        var group: String
        var address: WebAddress
        var isDefault: Bool
    }

    var variants: [Variant]
    var renditions: [Rendition]
}
