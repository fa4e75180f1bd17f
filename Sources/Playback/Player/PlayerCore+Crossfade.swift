// SPDX-License-Identifier: Apache-2.0

internal import Audio

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

/// Crossfades: how much of an item's end is held back, and what is mixed over it. The decode threads mix; the border between
/// two items is the first frame of their overlap.
extension PlayerCore {
    /// Seconds.
    var crossfade: Double { rules.isUnprocessed ? 0 : leaders?.crossfade ?? settings.crossfade }

    /// Seconds of its end that may sound under an item that is not known yet.
    private func longestOverlap(of track: LoadedTrack) -> Double {
        guard crossfade > 0, settings.repeats != .one, track.item.loops == 0, part(of: track.item) == nil,
            track.failure == nil
        else { return 0 }
        return rule(for: track)?.longest(crossfade) ?? 0
    }

    /// Seconds in which the two sound together, the one after the other.
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

    /// It is repeated; a follower has an item of its own for each round.
    private func isSame(_ one: QueueItem, _ other: QueueItem) -> Bool {
        one.id == other.id || (one.leaders != nil && one.leaders == other.leaders)
    }

    /// Media seconds of the current item under the next one.
    var overlapAhead: Double {
        guard let current, crossfade > 0 else { return 0 }
        if case .held = current.stage, let upcoming { return overlap(current, upcoming) * tempo(of: current).rate }
        return current.overlapped
    }

    /// Index in the ring where the next item is heard, once the current one is decoded.
    var border: FrameCount? {
        guard let current, let end = current.writtenEnd else { return nil }
        guard case .held(let tail, _) = current.stage, let upcoming, let format = stream.format else { return end }
        return end - min(format.frames(overlap(current, upcoming)), FrameCount(tail.frames))
    }

    /// The end of the current item over which the next one begins; nil: it begins behind it.
    func overlap(under next: LoadedTrack, _ format: AudioFormat) -> Overlap? {
        guard let current, case .held(let tail, _) = current.stage else { return nil }
        let frames = format.frames(overlap(current, next))
        guard frames > 0 else { return nil }
        var overlap = Overlap(tail, frames: frames)
        overlap.weigh(
            loudness(of: current.generation), loudness(of: next.generation), settings.effects.usedLoudness)
        return overlap
    }

    /// After every input.
    mutating func reconcileCrossfade() {
        guard !goal.isAtRest else { return }
        if case .stop = goal { return }
        // What was mixed for another value is not heard yet.
        if let upcoming, let mixed = upcoming.crossfade, mixed != crossfade { dropUpcoming() }
        guard let current else { return }
        let held = heldEnd(of: current)
        let isRaised = mustDecodeAgain(current, toHold: held)
        hold(held, of: current)
        if isRaised { runSeek(DecodeStart(place: .seconds(position)), target: position) }
        // A short one is decoded to its end before it is heard.
        if let upcoming { hold(longestOverlap(of: upcoming), of: upcoming) }
    }

    private mutating func heldEnd(of current: LoadedTrack) -> Double {
        let longest = longestOverlap(of: current)
        guard longest > 0, !stopsAfterCurrent, scan == nil else { return 0 }
        if let upcoming {
            return upcoming.media == nil && upcoming.failure == nil ? longest : overlap(current, upcoming)
        }
        // A follower learns of its next item late.
        guard isNearItsEnd, settings.leader == nil else { return longest }
        return successor(of: current) == nil ? 0 : longest
    }

    /// More of its end is to be held back than was when it was decoded, and there is time to decode it again.
    private func mustDecodeAgain(_ track: LoadedTrack, toHold seconds: Double) -> Bool {
        switch track.stage {
        case .held, .written: break
        case .opening, .primed, .feeding, .left, .failed: return false
        }
        guard seconds > track.held, seek == nil, track.media?.isSeekable == true, let left = secondsLeft else {
            return false
        }
        return left > seconds + RingFeed.holdingAhead
    }

    private mutating func hold(_ seconds: Double, of track: LoadedTrack) {
        guard track.held != seconds else { return }
        loaded.update(track.generation) { $0.held = seconds }
        actions.append(.hold(track.generation, seconds: seconds))
    }

    /// The next item is written: from its first frame on it is the current one.
    mutating func followBorder(_ event: DecodeEvent) {
        guard let current, case .held(_, let end) = current.stage, let upcoming, upcoming.crossfade != nil else {
            return
        }
        switch event {
        case .wrote(let run, let start, _, _):
            guard run == upcoming.run else { return }
            let overlapped = (stream.format?.seconds(end - start) ?? 0) * current.tempo.rate
            loaded.updateCurrent { ($0.stage, $0.overlapped) = (.written(end: start), overlapped) }
        case .failed(let run, _, _):
            // Nothing of it was mixed; the tail was written.
            guard run == upcoming.run else { return }
            loaded.updateCurrent { $0.stage = .written(end: end) }
        case .opened, .primed, .mediaChanged, .loading, .splice, .held, .ended: return
        }
    }
}
