// SPDX-License-Identifier: Apache-2.0

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
