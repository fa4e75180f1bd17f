// SPDX-License-Identifier: Apache-2.0

internal import Kernel

/// Live streams. Buffered data grows stale while nobody listens, so a silent station is left, and reconnected when sound
/// is wanted. A title applies from the frame with which it arrived.
extension PlayerCore {
    /// A station that is ready but not played is left after this many seconds.
    static let liveHold = 5.0

    mutating func reconcileLive() {
        guard let current, current.isLive, current.failure == nil else { return }
        if case .disconnected = current.stage {
            guard goal.wantsSound, stream.format != nil else { return }
            reopenCurrent(at: 0)
            jumped()
        } else if isLiveUnheard {
            disconnectLive()
        }
    }

    private var isLiveUnheard: Bool {
        switch stream.transport {
        case .silent, nil: break
        case .starting, .running, .dry, .pausing, .draining: return false
        }
        switch goal {
        case .pause: return true
        case .hold: return liveHoldEnd.map { $0 <= now } ?? false
        case .play, .stop, .idle, .rest: return false
        }
    }

    private var liveHoldEnd: MonotonicTime? {
        guard case .hold = goal, let current, current.isLive, let since = current.primedAt else { return nil }
        if case .disconnected = current.stage { return nil }
        return since.advanced(bySeconds: Self.liveHold)
    }

    /// Closes the station's connection. Its buffered frames are not played any more.
    mutating func disconnectLive() {
        guard let track = current else { return }
        if track.isFed { flush() }
        actions.append(.unload(track.generation))
        loaded.current?.stage = .disconnected
        loaded.current?.loading = nil
        loaded.prebuffering = nil
        loaded.seek = nil
    }

    /// Applies titles whose first frame has been heard.
    mutating func applyProgrammes() {
        guard var track = current, let first = track.programmes.first, first.start <= stream.timeline.heard else {
            return
        }
        while let next = track.programmes.first, next.start <= stream.timeline.heard {
            track.media?.broadcast = next.broadcast
            track.programmes.removeFirst()
        }
        loaded.current = track
        emit(.item(currentItem))
    }

    /// The next time at which one of the above is due.
    var nextLiveMoment: MonotonicTime? {
        var times: [MonotonicTime] = []
        if let end = liveHoldEnd { times.append(end) }
        if stream.isSounding, stream.clock.isAdvancing, let next = current?.programmes.first,
            let time = stream.time(of: next.start)
        {
            times.append(max(stream.clock.sampledAt, time))
        }
        return times.min()
    }
}
