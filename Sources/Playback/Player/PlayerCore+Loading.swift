// SPDX-License-Identifier: Apache-2.0

internal import Audio
internal import Kernel

/// Media that comes over a network: enough of it is gathered before it sounds.
extension PlayerCore {
    /// After every input: a wait that has been long enough, or is no longer one, is over.
    mutating func reconcileGathering() {
        guard var gathering else { return }
        gathering.since = goal.wantsSound ? gathering.since ?? now : nil
        loaded.begin(gathering)
        guard !goal.isAtRest, let current, let loading = current.loading, current.writtenEnd == nil,
            !current.isOpening, !loading.isSatisfied
        else { return loaded.endGathering() }
        guard let gathered = gatheredSeconds(since: gathering.place) else {
            // Of what is to be heard without a gap all is waited for, then.
            if gathering.needed != nil { loaded.endGathering() }
            return
        }
        if gathered >= gathering.needed ?? secondsForPace(since: gathering.place) { loaded.endGathering() }
    }

    /// Begins to wait, unless all that is needed is there.
    mutating func gather(_ needed: Double) {
        guard let current, let loading = current.loading else { return }
        loaded.begin(
            LoadedTracks.Gathering(
                needed: current.item.oneShot == nil ? needed : nil, since: now, place: loading.place))
        reconcileGathering()
    }

    /// How much of what follows `place` must be there, so that the rest comes in time at the pace so far. Without a length,
    /// what comes more slowly than it is heard is waited for to its end.
    private func secondsForPace(since place: Int64) -> Double {
        guard let current, let map = current.map, let pace = current.pace.bytesPerSecond(at: now) else {
            return .infinity
        }
        // A little less than it was: it may slow down.
        let speed = pace * map.seconds(bytes: 1) * 0.9 / tempo(of: current).rate
        guard speed < 1 else { return networkBuffering.start }
        guard let size = current.loading?.size else { return .infinity }
        return max(networkBuffering.start, map.seconds(bytes: size - place) * (1 - speed))
    }

    /// What came in since the reader was at `place`, played or not. nil when that cannot be reckoned.
    private func gatheredSeconds(since place: Int64) -> Double? {
        guard let loading = current?.loading, let map = current?.map else { return nil }
        return map.seconds(bytes: loading.place - place + loading.bytesAhead)
    }

    /// The first frames of a run are decoded.
    mutating func gatherBeforeFeeding() {
        gather(seek == nil ? networkBuffering.start : min(networkBuffering.seek, networkBuffering.start))
    }

    /// The sink ran dry while the current item was being written, or is still dry and the source has reported since.
    mutating func gatherAfterUnderrun() {
        guard case .dry(let since, _) = stream.transport, gathering == nil, var current,
            current.loading?.isSatisfied == false, current.isFed, current.writtenEnd == nil
        else { return }
        // What is there was not decoded in time: no fault of the connection, and nothing to wait for.
        guard (loadedTime?.ahead ?? 0) < networkBuffering.least else { return }
        guard current.item.oneShot == nil else { return gather(networkBuffering.resume) }
        current.dryTimes.removeAll { now.seconds(since: $0) >= networkBuffering.bounceWindow }
        if current.dryTimes.last != since { current.dryTimes.append(since) }
        loaded.updateCurrent { $0.dryTimes = current.dryTimes }
        let times = current.dryTimes.count
        guard times <= networkBuffering.bounces else {
            let window = Int(networkBuffering.bounceWindow)
            return failWaiting(
                .bouncing, "The connection is too unsteady: it ran dry \(times) times within \(window) s.")
        }
        gather(networkBuffering.resume)
    }

    /// With sound, or with an error.
    mutating func endGathering(after seconds: Double) {
        guard let gathering else { return }
        let isEnough =
            gatheredSeconds(since: gathering.place).map { $0 >= networkBuffering.least }
            ?? ((current?.loading?.bytesAhead ?? 0) > 0)
        if isEnough {
            loaded.endGathering()
        } else {
            failWaiting(.network, "Too little came over the network within \(Int(clamping: seconds)) s.")
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
        loaded.endGathering()
        if track.isFed { flush() }
        let end = track.isFed ? stream.timeline.heard : nil
        loaded.updateCurrent { $0.fail(PlaybackError(code, message, itemID: track.item.id), end: end) }
    }

    /// The loading that clients see; nil for local media.
    var loadedTime: LoadedTime? {
        current?.loading.flatMap { current?.map?.loaded($0) }
    }
}
