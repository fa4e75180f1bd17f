// SPDX-License-Identifier: Apache-2.0

internal import Kernel

/// Live streams: what is kept while nobody listens is stale, so a station is left when it falls silent and joined anew
/// when it is to sound. Its titles hold from the frame on that they came with.
extension PlayerCore {
    /// A station that is ready, without a play command, is left after this many seconds.
    static let liveHold = 5.0

    mutating func reconcileLive() {
        guard let current, current.isLive, current.failure == nil else { return }
        if case .left = current.stage {
            if goal.wantsSound, stream.format != nil { joinLive() }
        } else if isLiveUnheard {
            leaveLive()
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
        if case .left = current.stage { return nil }
        return since.advanced(bySeconds: Self.liveHold)
    }

    /// Ends its connection; what it had sent is not heard any more.
    mutating func leaveLive() {
        guard let track = current else { return }
        if track.isFed { flush() }
        actions.append(.unload(track.generation))
        loaded.updateCurrent { ($0.stage, $0.loading) = (.left, nil) }
        loaded.endGathering()
        loaded.endSeek()
    }

    private mutating func joinLive() {
        reopenCurrent(at: 0)
        jumped()
    }

    /// Titles whose first frame has been heard become the item's.
    mutating func applyProgrammes() {
        guard var track = current, let first = track.programmes.first, first.start <= stream.timeline.heard else {
            return
        }
        while let next = track.programmes.first, next.start <= stream.timeline.heard {
            track.media?.broadcast = next.broadcast
            track.programmes.removeFirst()
        }
        loaded.updateCurrent { $0 = track }
        emit(.item(currentItem))
    }

    /// When one of these is due.
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
