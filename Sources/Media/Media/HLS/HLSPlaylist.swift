// SPDX-License-Identifier: Apache-2.0

internal import Kernel

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

/// Where a playlist lies: shared by all that it names.
final class HLSBase: Sendable {
    let address: WebAddress
    /// Where what it names may lead.
    let reach: NetworkReach

    init(_ address: WebAddress, reach: NetworkReach) {
        self.address = address
        self.reach = reach
    }
}

/// An address as a playlist writes it. It is made whole when it is used: a playlist has tens of thousands of them, whose
/// common beginning may be long.
struct HLSReference: Equatable {
    let base: HLSBase
    /// Empty: the base itself.
    let text: String

    init(_ text: String, from base: HLSBase) {
        self.base = base
        self.text = text
    }

    init(_ address: WebAddress, reach: NetworkReach) { self.init("", from: HLSBase(address, reach: reach)) }

    var address: WebAddress { text.isEmpty ? base.address : base.address.redirected(to: text) ?? base.address }

    /// Whether `text` can be fetched, as far as that is seen without taking it apart.
    static func isFetched(_ text: String) -> Bool {
        let bytes = text.utf8
        guard !bytes.isEmpty, !bytes.contains(where: { $0 < 0x20 || $0 == 0x7F }) else { return false }
        let head = bytes.prefix { $0 != UInt8(ascii: ":") && $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
        guard head.endIndex != bytes.endIndex, bytes[head.endIndex] == UInt8(ascii: ":") else { return true }
        let scheme = String(Substring(head)).lowercased()
        return (scheme == "http" || scheme == "https") && bytes[head.endIndex...].dropFirst().starts(with: "//".utf8)
    }

    /// Written alike in one playlist.
    func isCopy(of other: HLSReference) -> Bool { base === other.base && text == other.text }

    static func == (left: HLSReference, right: HLSReference) -> Bool {
        left.isCopy(of: right) || left.address == right.address
    }
}

/// Which of the streams of a master playlist to play: one is chosen for good.
enum HLSChoice {
    /// In the order in which they are tried.
    static func candidates(_ master: HLSMasterPlaylist) -> [WebAddress] {
        let playable = master.variants.filter { isPlayed($0.codecs) }
        let others = master.variants.filter { !isPlayed($0.codecs) }
        // For sound alone the most is worth its price, beside a picture that nobody sees the least.
        let sound = playable.filter { !hasPicture($0) }.sorted { $0.bandwidth > $1.bandwidth }
        let pictures = playable.filter(hasPicture).sorted { $0.bandwidth < $1.bandwidth }
        let ordered = sound + pictures + others.sorted { $0.bandwidth < $1.bandwidth }
        var result: [WebAddress] = []
        for address in ordered.map({ rendition(of: $0, master) ?? $0.address }) where !result.contains(address) {
            result.append(address)
        }
        return result
    }

    /// The sound of a variant, where it comes by itself.
    private static func rendition(of variant: HLSMasterPlaylist.Variant, _ master: HLSMasterPlaylist) -> WebAddress? {
        guard let group = variant.audioGroup else { return nil }
        let members = master.renditions.filter { $0.group == group }
        return (members.first(where: \.isDefault) ?? members.first)?.address
    }

    private static func hasPicture(_ variant: HLSMasterPlaylist.Variant) -> Bool {
        let codings = ["avc", "hvc", "hev", "vp0", "vp8", "vp9", "av01", "dvh", "mp4v"]
        return variant.hasPicture
            || variant.codecs.contains { codec in codings.contains { codec.lowercased().hasPrefix($0) } }
    }

    /// False when it names only sound that is not played here.
    private static func isPlayed(_ codecs: [String]) -> Bool {
        let refused = ["ac-3", "ec-3", "ac-4", "dts", "mha1", "mhm1"]
        let sound = codecs.filter { codec in
            ["mp4a", "mp3", "flac", "alac", "opus", "vorbis"].contains { codec.lowercased().hasPrefix($0) }
        }
        return !sound.isEmpty || !codecs.contains { codec in refused.contains { codec.lowercased().hasPrefix($0) } }
    }
}
