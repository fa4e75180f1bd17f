// SPDX-License-Identifier: Apache-2.0

internal import Audio
internal import Kernel

/// Follows the audible position along the timeline, and from one item to the next.
extension PlayerCore {
    /// The next item enters the ring this many seconds before the end of the current one is heard: late, so that queue
    /// edits still apply, but a second before the sink has taken all frames.
    var feedAhead: Double { 1 + stream.latency }

    /// Seconds for which the published position waits for a sink that stood still. If more are missing, as after a stop of
    /// the whole machine, the position jumps back.
    static let longestWait = 1.0

    mutating func observe(_ reading: OutputClock) {
        guard stream.format != nil else { return }
        stream.clock = reading
        let before = stream.timeline
        advance(to: reading.ringIndex)
        reportLoop(before)
        applyProgrammes()
        finishSeekOnceHeard()
        finishScanAtStart()
        var borders = 0
        while !goal.isAtRest, isCurrentOver, seek == nil, borders < 4 {
            borders += 1
            guard reachedEnd() else { break }
        }
        let rate = abs(stream.timeline.place?.segment.pace.rate ?? 1)
        if positionClock.reached - position > Self.longestWait * rate { jumped() }
    }

    /// Everything of the current item that can be heard was heard.
    var isCurrentOver: Bool {
        guard let current, let end = current.writtenEnd else { return false }
        return stream.timeline.heard >= end || stream.timeline.isEmpty(current.generation, current.run, end: end)
    }

    mutating func advance(to ringIndex: FrameCount) {
        for (generation, seconds) in stream.timeline.advance(to: ringIndex) {
            loaded.update(generation) {
                if $0.listened == 0 { statistics.itemsStarted += 1 }
                $0.listened += seconds
            }
        }
    }

    /// A looped item is heard from its start again.
    private mutating func reportLoop(_ before: Timeline) {
        // Blocks of a scan are not repetitions.
        guard let left = before.place?.segment, let entered = stream.timeline.place?.segment,
            entered.start > left.start, entered.generation == left.generation, left.pace.isPlayed, entered.pace.isPlayed
        else { return }
        if entered.run != left.run {
            guard current?.holds(left) == true else { return }
            // A splice: the position continues at another rate. A repetition may have begun since.
            let first = before.segments.first { $0.generation == entered.generation && $0.run == entered.run }
            if first == entered { return reportTime() }
        }
        jumped()
        if isEndless { endEndless() }
    }

    /// A repetition of an endless item was heard. If an end is wanted, it is here: the item has no other one.
    private mutating func endEndless() {
        guard let ended = current, settings.stopAfterCurrent || sleepsAfterCurrent || sleepsAfterQueue else { return }
        if settings.stopAfterCurrent {
            flush()
            complete(ended, .finished)
            rest(.stopped(.stopAfterCurrent), at: 0)
            stoppedAfterCurrent()
        } else if sleepsAfterQueue, let next = queue.successor(order, using: &random), let item = queue.item(next) {
            flush()
            complete(ended, .finished)
            enter(load(item, at: nil))
        } else {
            fallAsleep()
        }
    }

    /// `stopAfterCurrent` applies once.
    private mutating func stoppedAfterCurrent() {
        settings.stopAfterCurrent = false
        actions.append(.save(.settings(settings)))
        emit(.settings(settings))
        if sleepsAfterCurrent { fallAsleep() }
    }

    private mutating func finishSeekOnceHeard() {
        guard let seek, seek.followUp == nil, goal.wantsSound, let current, !current.isOpening else { return }
        let isAudible = stream.transport == .running && stream.clock.isAdvancing && isHeard
        if isCurrentOver || isAudible { loaded.seek = nil }
    }

    /// The current item was heard to its end. Returns false if nothing follows yet.
    mutating func reachedEnd() -> Bool {
        guard let ended = current, hasDecayed || !isLastInStream else { return false }
        // An item that fails during a stop is stopped, not failed.
        if case .stop = goal, ended.failure != nil { return false }
        if let error = ended.failure {
            currentFailed(error)
            return current?.isFed == true
        }
        guard let next = upcoming else { return false }
        let item = queue.item(next.item.id)
        let isAsLoaded = (item?.loops, item?.beginTime) == (next.item.loops, next.item.beginTime)
        guard next.item.id == successor(of: ended), isAsLoaded, !stopsAfterCurrent else {
            // It was in the ring already and could not be removed before the border.
            actions += loaded.dropUpcoming()
            if next.isFed { flush() }
            return false
        }
        reportEnd(of: ended)
        complete(ended, .finished)
        enter(next)
        if let error = next.failure, !next.isFed { currentFailed(error) }
        return current?.isFed == true
    }

    private mutating func reportEnd(of ended: LoadedTrack) {
        guard let duration = ended.duration else { return }
        var last = positionClock
        (last.position, last.rate) = (duration - ended.overlapped, 0)
        emit(.jumped(last, itemID: ended.item.id))
    }

    /// Makes a loaded track the current one.
    mutating func enter(_ track: LoadedTrack) {
        let left = current
        loaded.enter(track)
        // Errors of items that were skipped before the previous item do not concern this one.
        if lastError?.code != .outputUnavailable { lastError = nil }
        dropScan()
        queue.setCurrent(track.item.id)
        // Nothing was played since the stop or the end of the queue.
        if !goal.isAtRest { consume(left) }
        emit(.item(currentItem))
        jumped()
        savePosition()
    }

    /// The last item was heard to its end, or the output has drained.
    mutating func reachedEndOfQueue() {
        guard let ended = current else { return }
        if let error = ended.failure {
            currentFailed(error)
            return
        }
        complete(ended, .finished)
        rest(.completed, at: ended.duration ?? position)
        if settings.stopAfterCurrent {
            goal = .rest(.stopped(.stopAfterCurrent))
            stoppedAfterCurrent()
            loaded.current?.startPosition = 0
            if let next = queue.successor(order, using: &random) {
                queue.setCurrent(next)
                loaded.enter(nil)
                emit(.item(currentItem))
            } else {
                emit(.queueEnded)
            }
            dropUpcoming()
        } else if sleepsAfterCurrent {
            fallAsleepAfterItem()
        } else {
            fallAsleepAfterQueue()
            emit(.queueEnded)
        }
        consume(ended)
    }

    mutating func rest(_ rest: PlayerGoal.Rest, at position: Double) {
        goal = .rest(rest)
        scan = nil
        loaded.rest(at: position)
        dropUpcoming()
    }

    mutating func complete(_ track: LoadedTrack, _ reason: CompletionReason) {
        actions.append(.unload(track.generation))
        if reason == .finished, track.media?.isCut == true {
            let sentence = "The file is cut off: it ends before the length that it gives."
            emit(.error(PlaybackError(.incomplete, sentence, itemID: track.item.id)))
        }
        emit(.completed(track.item.id, reason: reason))
    }

    /// Removes an item that was heard from the queue if `consume` is set.
    private mutating func consume(_ track: LoadedTrack?) {
        // An item that waits to be repeated stays.
        guard settings.consume, let track, track.listened > 0, queue.item(track.item.id) != nil,
            goal.isAtRest || track.item.id != current?.item.id
        else { return }
        actions.append(.request(.edit(.remove([track.item.id]), expected: nil, play: false)))
    }
}
