// SPDX-License-Identifier: Apache-2.0

internal import Audio
internal import Kernel

/// Media that comes over a network: enough of it is gathered before it sounds.
extension PlayerCore {
    /// The current item waits until more of it is at hand.
    struct Gathering {
        /// Seconds; nil: so much that all that follows comes in time.
        var needed: Double?
        /// nil while no sound is wanted: only who waits is kept waiting.
        var since: MonotonicTime?
        /// The byte that was read next when it began.
        var place: Int64
    }

    /// After every input: a wait that has been long enough, or is no longer one, is over.
    mutating func reconcileGathering() {
        guard let gathering else { return }
        self.gathering?.since = goal.wantsSound ? gathering.since ?? now : nil
        guard !goal.isAtRest, let current, let loading = current.loading, current.writtenEnd == nil,
            !current.isOpening, !loading.isSatisfied
        else { return self.gathering = nil }
        guard let gathered = gatheredSeconds(since: gathering.place) else {
            // Of what is to be heard without a gap all is waited for, then.
            if gathering.needed != nil { self.gathering = nil }
            return
        }
        if gathered >= gathering.needed ?? secondsForPace(since: gathering.place) { self.gathering = nil }
    }

    /// Begins to wait, unless all that is needed is there.
    mutating func gather(_ needed: Double) {
        guard let current, let loading = current.loading else { return }
        gathering = Gathering(
            needed: current.item.oneShot == nil ? needed : nil, since: now, place: loading.place)
        reconcileGathering()
    }

    /// How much of what follows `place` must be there, so that the rest comes in time at the pace so far. Without a length,
    /// what comes more slowly than it is heard is waited for to its end.
    private func secondsForPace(since place: Int64) -> Double {
        guard let current, let loading = current.loading, let media = current.media,
            let map = LoadedMap(media, loading), let pace = current.pace.bytesPerSecond(at: now)
        else { return .infinity }
        // A little less than it was: it may slow down.
        let speed = pace * map.seconds(bytes: 1) * 0.9 / tempo(of: current).rate
        guard speed < 1 else { return networkBuffering.start }
        guard let size = loading.size else { return .infinity }
        return max(networkBuffering.start, map.seconds(bytes: size - place) * (1 - speed))
    }

    /// What came in since the reader was at `place`, played or not. nil when that cannot be reckoned.
    private func gatheredSeconds(since place: Int64) -> Double? {
        guard let current, let loading = current.loading, let media = current.media,
            let map = LoadedMap(media, loading)
        else { return nil }
        return map.seconds(bytes: loading.place - place + loading.bytesAhead)
    }

    /// The first frames of a run are decoded.
    mutating func gatherBeforeFeeding() {
        gather(seek == nil ? networkBuffering.start : min(networkBuffering.seek, networkBuffering.start))
    }

    /// The sink ran dry while the current item was being written.
    mutating func gatherAfterUnderrun() {
        guard var current, current.loading?.isSatisfied == false, current.isFed, current.writtenEnd == nil else {
            return
        }
        // What is there was not decoded in time: no fault of the connection, and nothing to wait for.
        guard (loadedTime?.ahead ?? 0) < networkBuffering.least else { return }
        guard current.item.oneShot == nil else { return gather(networkBuffering.resume) }
        current.dryTimes.removeAll { now.seconds(since: $0) >= networkBuffering.bounceWindow }
        current.dryTimes.append(now)
        self.current = current
        let times = current.dryTimes.count
        guard times <= networkBuffering.bounces else {
            let window = Int(networkBuffering.bounceWindow)
            return failWaiting(
                .bouncing, "The connection is too unsteady: it ran dry \(times) times within \(window) s.")
        }
        gather(networkBuffering.resume)
    }

    mutating func checkGathering() {
        guard let waiting = gathering, let wait = gatheringLimit, isOver(wait.since, wait.seconds) else { return }
        let isEnough =
            gatheredSeconds(since: waiting.place).map { $0 >= networkBuffering.least }
            ?? ((current?.loading?.bytesAhead ?? 0) > 0)
        if isEnough {
            gathering = nil
        } else {
            failWaiting(.network, "Too little came over the network within \(Int(clamping: wait.seconds)) s.")
        }
    }

    /// When the wait began, and how long it may take.
    var gatheringLimit: (since: MonotonicTime, seconds: Double)? {
        guard let since = gathering?.since, let current else { return nil }
        guard let oneShot = current.item.oneShot else { return (since, networkBuffering.limit) }
        // Early enough to be heard within its time.
        return (current.listened > 0 ? since : current.loadedAt, oneShot.timeout * 0.9)
    }

    private mutating func failWaiting(_ code: PlaybackError.Code, _ message: String) {
        guard let track = current else { return }
        gathering = nil
        let isFed = track.isFed
        if isFed { flush() }
        current?.fail(PlaybackError(code, message, itemID: track.item.id), end: isFed ? stream.timeline.heard : nil)
    }

    /// The loading that clients see; nil for local media.
    var loadedTime: LoadedTime? {
        guard let current, let loading = current.loading, let media = current.media else { return nil }
        return LoadedMap(media, loading)?.loaded(loading)
    }
}
