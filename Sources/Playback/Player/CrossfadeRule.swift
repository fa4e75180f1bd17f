// SPDX-License-Identifier: Apache-2.0

/// The properties of an item that decide whether and how long its end sounds under the next one.
public struct CrossfadeRule: Hashable, Sendable {
    /// Shorter items, in seconds, sound alone.
    static let shortest = 1.0

    /// Seconds of sound, all that is played of the item; nil unless known exactly.
    var length: Double?
    var album: String?
    var track: Int?
    var disc: Int?

    /// `rate`: media seconds per second.
    public init(_ media: MediaDescription, _ item: ItemDraft, rate: Double = 1) {
        if item.oneShot == nil, media.broadcast == nil, media.durationIsExact, let duration = media.duration {
            length = (media.format.seconds(duration) - item.beginTime) / rate
        }
        album = item.album ?? media.tags.album
        (track, disc) = (media.tags.trackNumber, media.tags.discNumber)
    }

    /// Seconds of its end, and of its beginning, that may sound together with another item; `crossfade`: what is wanted.
    public func longest(_ crossfade: Double) -> Double {
        guard let length, length >= Self.shortest else { return 0 }
        return min(crossfade, length / 2)
    }

    /// Seconds of its end under the beginning of the next one.
    public func overlap(_ crossfade: Double, before next: CrossfadeRule) -> Double {
        isFollowed(by: next) ? 0 : min(longest(crossfade), next.longest(crossfade))
    }

    /// As on an album: they may have been made to join.
    private func isFollowed(by next: CrossfadeRule) -> Bool {
        guard let album, !album.isEmpty, album == next.album else { return false }
        guard let track, let other = next.track else { return true }
        if let disc, let otherDisc = next.disc, disc != otherDisc { return otherDisc == disc + 1 && other == 1 }
        return other == track + 1
    }
}
