// SPDX-License-Identifier: Apache-2.0

internal import Audio

/// The properties of an item that determine whether, and for how long, its end overlaps the next item.
public struct CrossfadeRule: Hashable, Sendable {
    /// Seconds; shorter items do not overlap others.
    static let shortest = 1.0

    /// Seconds that the item plays; nil unless known exactly.
    var length: Double?
    var album: String?
    var track: Int?
    var disc: Int?

    /// `rate`: media seconds per second.
    public init(_ media: MediaDescription, _ item: ItemDraft, rate: Double) {
        if item.oneShot == nil, media.broadcast == nil, media.durationIsExact, let duration = media.durationInSeconds {
            length = (duration - item.beginTime) / rate
        }
        album = item.album ?? media.tags.album
        (track, disc) = (media.tags.trackNumber, media.tags.discNumber)
    }

    /// Seconds at the item's end, and at its beginning, that may overlap another item. `crossfade`: the setting.
    public func longest(_ crossfade: Double) -> Double {
        guard let length, length >= Self.shortest else { return 0 }
        return min(crossfade, length / 2)
    }

    /// Seconds in which the item's end overlaps the next item.
    public func overlap(_ crossfade: Double, before next: CrossfadeRule) -> Double {
        isFollowed(by: next) ? 0 : min(longest(crossfade), next.longest(crossfade))
    }

    /// Neighbours on an album are not crossfaded: they may be meant to join.
    private func isFollowed(by next: CrossfadeRule) -> Bool {
        guard let album, !album.isEmpty, album == next.album else { return false }
        guard let track, let other = next.track else { return true }
        if let disc, let otherDisc = next.disc, disc != otherDisc { return otherDisc == disc + 1 && other == 1 }
        return other == track + 1
    }
}

/// Crossfades: how much of an item's end is held back and mixed with the next item. The decode threads mix. The border
/// between two items is the first frame of their overlap.
extension PlayerCore {
    /// Seconds.
    var crossfade: Double { rules.isUnprocessed ? 0 : leaderPlayback?.crossfade ?? settings.crossfade }
    var fades: PlayerSettings.Fades { leaderPlayback?.fades ?? settings.fades }

    /// Seconds of the item's end that may overlap an item that is not known yet.
    private func longestOverlap(of track: LoadedTrack) -> Double {
        guard crossfade > 0, settings.repeats != .one, track.item.loops == 0, part(of: track.item) == nil,
            track.failure == nil
        else { return 0 }
        return rule(for: track)?.longest(crossfade) ?? 0
    }

    /// Seconds in which `left` and `next` overlap.
    private func overlap(_ left: LoadedTrack, _ next: LoadedTrack) -> Double {
        let longest = longestOverlap(of: left)
        guard longest > 0, next.failure == nil, fits(next),
            stream.format.map({ $0.channelCount <= OverlapMixer.mostChannels }) ?? true, !isSame(left.item, next.item),
            let rule = rule(for: left), let other = self.rule(for: next)
        else { return 0 }
        return rule.overlap(crossfade, before: other)
    }

    private func rule(for track: LoadedTrack) -> CrossfadeRule? {
        track.media.map { CrossfadeRule($0, track.item.draft, rate: tempo(of: track).rate) }
    }

    /// The same item again. A follower has a separate item for each repetition.
    private func isSame(_ one: QueueItem, _ other: QueueItem) -> Bool {
        one.id == other.id || (one.leaders != nil && one.leaders == other.leaders)
    }

    /// Media seconds of the current item that overlap the next one.
    var overlapAhead: Double {
        guard let current, crossfade > 0 else { return 0 }
        if case .held = current.stage, let upcoming { return overlap(current, upcoming) * tempo(of: current).rate }
        return current.overlapped
    }

    /// Ring index at which the next item starts to be heard, once the current one is decoded.
    var border: FrameCount? {
        guard let current, let end = current.writtenEnd else { return nil }
        guard case .held(let tail, _) = current.stage, let upcoming, let format = stream.format else { return end }
        return end - min(format.frames(overlap(current, upcoming)), FrameCount(tail.frames))
    }

    /// The end of the current item that the next one overlaps; nil: the next one follows it.
    func overlap(under next: LoadedTrack, _ format: AudioFormat) -> Overlap? {
        guard let current, case .held(let tail, _) = current.stage else { return nil }
        let frames = format.frames(overlap(current, next))
        guard frames > 0 else { return nil }
        return Overlap(
            tail, frames: frames, loudness(of: current.generation), loudness(of: next.generation),
            settings.effects.usedLoudness)
    }

    /// Runs after every input.
    mutating func reconcileCrossfade() {
        guard goal.keepsItem else { return }
        // The next item was mixed for another value and is not heard yet.
        if let upcoming, let mixed = upcoming.crossfade, mixed != crossfade { dropUpcoming() }
        guard let current else { return }
        let held = heldEnd(of: current)
        let isRaised = mustDecodeAgain(current, toHold: held)
        hold(held, of: current)
        if isRaised { runSeek(DecodeStart(place: .seconds(position)), target: position) }
        // Short items are decoded to their end before they are heard.
        if let upcoming { hold(longestOverlap(of: upcoming), of: upcoming) }
    }

    private mutating func heldEnd(of current: LoadedTrack) -> Double {
        let longest = longestOverlap(of: current)
        guard longest > 0, !stopsAfterCurrent, scan == nil else { return 0 }
        if let upcoming {
            return upcoming.media == nil && upcoming.failure == nil ? longest : overlap(current, upcoming)
        }
        // A follower knows its next item late.
        guard isNearItsEnd, settings.leader == nil else { return longest }
        return successor(of: current) == nil ? 0 : longest
    }

    /// The item must hold back more of its end than when it was decoded, and there is time to decode it again.
    private func mustDecodeAgain(_ track: LoadedTrack, toHold seconds: Double) -> Bool {
        guard track.writtenEnd != nil, track.failure == nil, seconds > track.held, seek == nil,
            track.media?.isSeekable == true, let left = secondsLeft
        else { return false }
        return left > seconds + RingFeed.holdingAhead
    }

    private mutating func hold(_ seconds: Double, of track: LoadedTrack) {
        guard track.held != seconds else { return }
        loaded.update(track.generation) { $0.held = seconds }
        actions.append(.hold(track.generation, seconds: seconds))
    }

    /// Follows the decoder of the next item: the next item becomes current at its first frame.
    mutating func followBorder(_ event: DecodeEvent) {
        guard let current, case .held(_, let end) = current.stage, let upcoming, upcoming.crossfade != nil else {
            return
        }
        switch event {
        case .wrote(let run, let start, _, _):
            guard run == upcoming.run else { return }
            let overlapped = (stream.format?.seconds(end - start) ?? 0) * current.tempo.rate
            loaded.current?.stage = .written(end: start)
            loaded.current?.overlapped = overlapped
        case .failed(let run, _, _):
            // The next item failed unmixed; the held tail was written.
            guard run == upcoming.run else { return }
            loaded.current?.stage = .written(end: end)
        case .opened, .primed, .mediaChanged, .loading, .splice, .held, .ended: return
        }
    }
}
