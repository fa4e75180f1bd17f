// SPDX-License-Identifier: Apache-2.0

/// The segments of one stream (RFC 8216, section 4.3.3), in order and without holes in their numbers.
struct HLSMediaPlaylist {
    /// Seconds; no segment is much longer.
    var targetDuration: Double
    /// Nothing will be added.
    var isEnded: Bool
    /// Placed from the first one on. Of one that is not ended only the last are kept.
    var slots: HLSSlots
}

/// One segment.
struct HLSSegment: Equatable {
    var sequence: Int64
    /// Seconds.
    var duration: Double
    var media: HLSPart
    /// What a decoder needs before it.
    var map: HLSPart?
    /// Segments with the same number are one recording on one clock.
    var discontinuity: Int64
    /// The server does not have it, by its own word.
    var isGap: Bool

    /// Whether one decoder reads both in one go.
    func joins(_ other: HLSSegment) -> Bool { map == other.map && discontinuity == other.discontinuity }
}

/// Bytes behind an address, ciphered or not.
struct HLSPart: Equatable {
    var reference: HLSReference
    /// nil: all of them.
    var range: Range<Int64>?
    var key: HLSKey?

    /// Written alike in one playlist.
    func isCopy(of other: HLSPart) -> Bool {
        guard reference.isCopy(of: other.reference), range == other.range else { return false }
        guard let key, let otherKey = other.key else { return key == nil && other.key == nil }
        return key.isCopy(of: otherKey)
    }
}

/// AES-128 in CBC mode.
struct HLSKey: Equatable {
    var reference: HLSReference
    /// nil: the number of the segment (section 5.2).
    var vector: [UInt8]?

    func isCopy(of other: HLSKey) -> Bool { reference.isCopy(of: other.reference) && vector == other.vector }

    func vector(for sequence: Int64) -> [UInt8] {
        vector ?? [UInt8](repeating: 0, count: 8)
            + (0..<8).reversed().map { UInt8(truncatingIfNeeded: sequence >> ($0 * 8)) }
    }
}

/// The choices of a master playlist (section 4.3.4).
struct HLSMasterPlaylist {
    struct Variant {
        var address: WebAddress
        var bandwidth: Int
        /// Empty when unknown.
        var codecs: [String]
        var hasPicture: Bool
        var audioGroup: String?
    }

    /// Sound that comes apart from the picture.
    struct Rendition {
        var group: String
        var address: WebAddress
        var isDefault: Bool
    }

    var variants: [Variant]
    var renditions: [Rendition]
}
