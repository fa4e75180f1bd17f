// SPDX-License-Identifier: Apache-2.0

internal import Kernel

/// Network media: enough data is gathered before the item sounds.
extension PlayerCore {
    /// Runs after every input. Ends a wait that is satisfied or no longer applies.
    mutating func reconcilePrebuffering() {
        guard var prebuffering else { return }
        prebuffering.since = goal.wantsSound ? prebuffering.since ?? now : nil
        loaded.prebuffering = prebuffering
        guard !goal.isAtRest, let current, let loading = current.loading, current.writtenEnd == nil,
            !current.isOpening, !loading.isSatisfied
        else { return loaded.prebuffering = nil }
        guard let buffered = bufferedSeconds(since: prebuffering.place) else {
            // A one-shot sound is loaded to its end if its pace is unknown.
            if prebuffering.needed != nil { loaded.prebuffering = nil }
            return
        }
        if buffered >= prebuffering.needed ?? secondsForPace(since: prebuffering.place) { loaded.prebuffering = nil }
    }

    /// Starts to wait, unless enough is loaded.
    mutating func prebuffer(_ needed: Double) {
        guard let current, let loading = current.loading else { return }
        loaded.prebuffering = LoadedTracks.Prebuffering(
            needed: current.item.oneShot == nil ? needed : nil, since: now, place: loading.place)
        reconcilePrebuffering()
    }

    /// The seconds after `place` that must be loaded so that the rest arrives in time at the present pace. Without a
    /// known length, slow media is loaded to its end.
    private func secondsForPace(since place: Int64) -> Double {
        guard let current, let map = current.map, let pace = current.pace.bytesPerSecond(at: now) else {
            return .infinity
        }
        // Slightly less than measured, because the pace may drop.
        let speed = pace * map.seconds(bytes: 1) * 0.9 / tempo(of: current).rate
        guard speed < 1 else { return networkBuffering.start }
        guard let size = current.loading?.size else { return .infinity }
        return max(networkBuffering.start, map.seconds(bytes: size - place) * (1 - speed))
    }

    /// Seconds that have arrived since the reader was at `place`, played or not; nil if the bit rate is unknown.
    private func bufferedSeconds(since place: Int64) -> Double? {
        guard let loading = current?.loading, let map = current?.map else { return nil }
        return map.seconds(bytes: loading.place - place + loading.bytesAhead)
    }

    /// Called when the first frames of a run are decoded.
    mutating func prebufferBeforeFeeding() {
        prebuffer(seek == nil ? networkBuffering.start : min(networkBuffering.seek, networkBuffering.start))
    }

    /// The sink ran dry while the current item was written, or is still dry when the source reports.
    mutating func prebufferAfterUnderrun() {
        guard case .dry(let since, _) = stream.transport, prebuffering == nil, var current,
            current.loading?.isSatisfied == false, current.isFed, current.writtenEnd == nil
        else { return }
        // Loaded data was not decoded in time. The network is not the cause.
        guard (loadedTime?.ahead ?? 0) < networkBuffering.least else { return }
        guard current.item.oneShot == nil else { return prebuffer(networkBuffering.resume) }
        current.dryTimes.removeAll { now.seconds(since: $0) >= networkBuffering.bounceWindow }
        if current.dryTimes.last != since { current.dryTimes.append(since) }
        loaded.current = current
        let times = current.dryTimes.count
        guard times <= networkBuffering.bounces else {
            let window = Int(networkBuffering.bounceWindow)
            return failWaiting(
                .bouncing, "The connection is too unsteady: it ran dry \(times) times within \(window) s.")
        }
        prebuffer(networkBuffering.resume)
    }

    /// Ends an overdue wait: with sound if enough has arrived, else with an error.
    mutating func endPrebuffering(after seconds: Double) {
        guard let prebuffering else { return }
        let isEnough =
            bufferedSeconds(since: prebuffering.place).map { $0 >= networkBuffering.least }
            ?? ((current?.loading?.bytesAhead ?? 0) > 0)
        if isEnough {
            loaded.prebuffering = nil
        } else {
            failWaiting(.network, "Too little came over the network within \(Int(clamping: seconds)) s.")
        }
    }

    /// The start of the wait and its limit in seconds.
    var prebufferingLimit: (since: MonotonicTime, seconds: Double)? {
        guard let since = prebuffering?.since, let current else { return nil }
        guard let oneShot = current.item.oneShot else { return (since, networkBuffering.limit) }
        // Early enough for the sound to start within its timeout.
        return (current.listened > 0 ? since : current.loadedAt, oneShot.timeout * 0.9)
    }

    private mutating func failWaiting(_ code: PlaybackError.Code, _ message: String) {
        guard let track = current else { return }
        loaded.prebuffering = nil
        if track.isFed { flush() }
        let end = track.isFed ? stream.timeline.heard : nil
        loaded.current?.fail(PlaybackError(code, message, itemID: track.item.id), end: end)
    }

    /// The loading progress that clients see; nil for local media.
    var loadedTime: LoadedTime? {
        current?.loading.flatMap { current?.map?.loaded($0) }
    }
}
