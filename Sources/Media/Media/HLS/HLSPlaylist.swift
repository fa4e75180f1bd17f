// SPDX-License-Identifier: Apache-2.0

internal import Kernel

/// A media playlist (RFC 8216, section 4.3.3): the segments of one stream, numbered consecutively.
struct HLSMediaPlaylist {
    /// Seconds. No segment is much longer.
    var targetDuration: Double
    /// No segments will be added.
    var isEnded: Bool
    /// The first one starts at 0 s. Of a live playlist, only the last segments are kept.
    var slots: HLSSlots
}

struct HLSSegment: Equatable {
    var sequence: Int64
    /// Seconds.
    var duration: Double
    var media: HLSPart
    /// Initialization section (EXT-X-MAP) that a decoder needs before the segment.
    var map: HLSPart?
    /// Segments with the same number belong to one recording on one clock.
    var discontinuity: Int64
    /// The server says that it lacks this segment (EXT-X-GAP).
    var isGap: Bool

    /// Whether one decoder can read both segments in one run.
    func joins(_ other: HLSSegment) -> Bool { map == other.map && discontinuity == other.discontinuity }
}

/// A file or a byte range of one, encrypted if it has a key.
struct HLSPart: Equatable {
    var reference: HLSReference
    /// nil: the whole file.
    var range: Range<Int64>?
    var key: HLSKey?

    /// Whether both are written alike in the same playlist. Cheaper than `==`, which resolves addresses.
    func isCopy(of other: HLSPart) -> Bool {
        guard reference.isCopy(of: other.reference), range == other.range else { return false }
        guard let key, let otherKey = other.key else { return key == nil && other.key == nil }
        return key.isCopy(of: otherKey)
    }
}

/// AES-128 in CBC mode.
struct HLSKey: Equatable {
    var reference: HLSReference
    /// nil: the segment's sequence number (section 5.2).
    var vector: [UInt8]?

    func isCopy(of other: HLSKey) -> Bool { reference.isCopy(of: other.reference) && vector == other.vector }

    func vector(for sequence: Int64) -> [UInt8] {
        vector ?? [UInt8](repeating: 0, count: 8)
            + (0..<8).reversed().map { UInt8(truncatingIfNeeded: sequence >> ($0 * 8)) }
    }
}

/// A master playlist (section 4.3.4).
struct HLSMasterPlaylist {
    struct Variant {
        var address: WebAddress
        var bandwidth: Int
        /// Empty when unknown.
        var codecs: [String]
        var hasPicture: Bool
        var audioGroup: String?
    }

    /// One of the audio tracks of a variant, such as a language.
    struct Rendition {
        var group: String
        /// nil: its sound is in the variant's own segments (section 4.3.4.2.1).
        var address: WebAddress?
        var isDefault: Bool
    }

    var variants: [Variant]
    var renditions: [Rendition]
}

/// The address of a playlist, shared by all its references.
final class HLSBase: Sendable {
    let address: WebAddress
    /// Where its references may lead.
    let reach: NetworkReach

    init(_ address: WebAddress, reach: NetworkReach) {
        self.address = address
        self.reach = reach
    }
}

/// An address as written in a playlist. It is resolved on use: a playlist may have tens of thousands of references with a long
/// common prefix.
struct HLSReference: Equatable {
    let base: HLSBase
    /// Empty for the playlist's own address.
    let text: String

    init(_ text: String, from base: HLSBase) {
        self.base = base
        self.text = text
    }

    init(_ address: WebAddress, reach: NetworkReach) { self.init("", from: HLSBase(address, reach: reach)) }

    var address: WebAddress { text.isEmpty ? base.address : base.address.redirected(to: text) ?? base.address }

    /// A cheap check without parsing the address: HTTP, HTTPS or relative, not too long, no control characters.
    static func isFetched(_ text: String) -> Bool {
        let bytes = text.utf8
        guard (1...WebAddress.longestReference).contains(bytes.count),
            !bytes.contains(where: { $0 < 0x20 || $0 == 0x7F })
        else { return false }
        let head = bytes.prefix { $0 != UInt8(ascii: ":") && $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
        guard head.endIndex != bytes.endIndex, bytes[head.endIndex] == UInt8(ascii: ":") else { return true }
        let scheme = String(Substring(head)).lowercased()
        return (scheme == "http" || scheme == "https") && bytes[head.endIndex...].dropFirst().starts(with: "//".utf8)
    }

    func isCopy(of other: HLSReference) -> Bool { base === other.base && text == other.text }

    static func == (left: HLSReference, right: HLSReference) -> Bool {
        left.isCopy(of: right) || left.address == right.address
    }
}

/// Chooses one stream of a master playlist. There is no switching later.
enum HLSChoice {
    /// Addresses of media playlists, in the order to try them.
    static func candidates(_ master: HLSMasterPlaylist) -> [WebAddress] {
        let playable = master.variants.filter { isPlayed($0.codecs) }
        let others = master.variants.filter { !isPlayed($0.codecs) }
        // Audio-only variants: highest bit rate first. Video variants, whose picture nobody sees: lowest first.
        let sound = playable.filter { !hasPicture($0) }.sorted { $0.bandwidth > $1.bandwidth }
        let pictures = playable.filter(hasPicture).sorted { $0.bandwidth < $1.bandwidth }
        let ordered = sound + pictures + others.sorted { $0.bandwidth < $1.bandwidth }
        var result: [WebAddress] = []
        for address in ordered.map({ rendition(of: $0, master) ?? $0.address }) where !result.contains(address) {
            result.append(address)
        }
        return result
    }

    /// The address of a variant's audio track; nil if that is in the variant itself.
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

    /// False if the variant names only audio codecs that the server does not play.
    private static func isPlayed(_ codecs: [String]) -> Bool {
        let refused = ["ac-3", "ec-3", "ac-4", "dts", "mha1", "mhm1"]
        let sound = codecs.filter { codec in
            ["mp4a", "mp3", "flac", "alac", "opus", "vorbis"].contains { codec.lowercased().hasPrefix($0) }
        }
        return !sound.isEmpty || !codecs.contains { codec in refused.contains { codec.lowercased().hasPrefix($0) } }
    }
}
