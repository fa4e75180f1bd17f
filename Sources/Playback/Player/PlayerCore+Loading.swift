// SPDX-License-Identifier: Apache-2.0

internal import Audio
internal import Threading

/// Media that comes over a network: enough of it is gathered before it sounds.
extension PlayerCore {
    /// The current item waits until more of it is at hand.
    struct Gathering {
        /// Seconds.
        var needed: Double
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
            !current.isOpening, !loading.isSatisfied, let gathered = gatheredSeconds(since: gathering.place)
        else { return self.gathering = nil }
        if gathered >= gathering.needed { self.gathering = nil }
    }

    /// Begins to wait, unless all that is needed is there.
    mutating func gather(_ needed: Double) {
        guard let loading = current?.loading else { return }
        gathering = Gathering(needed: needed, since: now, place: loading.place)
        reconcileGathering()
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
        guard let current, current.loading?.isSatisfied == false, current.isFed, current.writtenEnd == nil else {
            return
        }
        // What is there was not decoded in time: no fault of the connection, and nothing to wait for.
        guard (loadedTime?.ahead ?? 0) < networkBuffering.least else { return }
        dryTimes.removeAll { now.seconds(since: $0) >= networkBuffering.bounceWindow }
        dryTimes.append(now)
        guard dryTimes.count <= networkBuffering.bounces else {
            let window = Int(networkBuffering.bounceWindow)
            return failWaiting(
                .bouncing, "The connection is too unsteady: it ran dry \(dryTimes.count) times within \(window) s.")
        }
        gather(networkBuffering.resume)
    }

    mutating func checkGathering() {
        guard let waiting = gathering, let since = waiting.since,
            now.seconds(since: since) >= networkBuffering.limit - 0.0005
        else { return }
        if gatheredSeconds(since: waiting.place) ?? 0 >= networkBuffering.least {
            gathering = nil
        } else {
            failWaiting(.network, "Too little came over the network within \(Int(networkBuffering.limit)) s.")
        }
    }

    private mutating func failWaiting(_ code: PlaybackError.Code, _ message: String) {
        guard let track = current else { return }
        gathering = nil
        let isFed = track.isFed
        if isFed { flush() }
        current?.stage = .failed(
            PlaybackError(code, message, itemID: track.item.id), end: isFed ? timeline.heard : nil)
    }

    /// What clients see of it; nil for local media.
    var loadedTime: LoadedTime? {
        guard let current, let loading = current.loading, let media = current.media else { return nil }
        return LoadedMap(media, loading)?.loaded(loading)
    }
}
