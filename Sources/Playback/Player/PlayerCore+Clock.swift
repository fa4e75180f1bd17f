// SPDX-License-Identifier: Apache-2.0

internal import Audio
internal import Kernel

/// What is heard: advancing along the timeline, and across the border from one item to the next.
extension PlayerCore {
    /// The next item enters the ring so many seconds before the end of the current one is heard: late, so that edits of the
    /// queue still count, and a second before the sink has taken all of it.
    var feedAhead: Double { 1 + min(5, max(0, stream.clock.latency)) }

    mutating func observe(_ reading: OutputClock) {
        guard stream.format != nil else { return }
        stream.read(reading)
        let left = stream.timeline.place?.segment
        hear(upTo: reading.ringIndex)
        reportLoop(from: left)
        applyProgrammes()
        finishSeekOnceHeard()
        finishScanAtStart()
        var borders = 0
        while !goal.isAtRest, isCurrentOver, seek == nil, borders < 4 {
            borders += 1
            guard reachedEnd() else { break }
        }
    }

    /// All of the current item that will be heard was heard.
    var isCurrentOver: Bool {
        guard let current, let end = current.writtenEnd else { return false }
        return stream.timeline.heard >= end || stream.timeline.isEmpty(current.generation, current.run, end: end)
    }

    mutating func hear(upTo ringIndex: FrameCount) {
        for (generation, seconds) in stream.timeline.advance(to: ringIndex) {
            if loaded[generation]?.listened == 0 { statistics.itemsStarted += 1 }
            loaded.update(generation) { $0.listened += seconds }
        }
    }

    /// A looped item is heard from its beginning again.
    private mutating func reportLoop(from left: Timeline.Segment?) {
        // The blocks of a scan are no rounds.
        guard let left, let entered = stream.timeline.place?.segment, entered.start > left.start,
            entered.generation == left.generation, left.pace.isPlayed, entered.pace.isPlayed
        else { return }
        guard entered.run == left.run else {
            // A splice: the position continues, at another rate.
            return current?.holds(left) == true ? reportTime() : ()
        }
        jumped()
        if isEndless { endEndless() }
    }

    /// A round of it was heard. Where an end is wanted, it is here: such an item has no other one.
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

    /// The setting is for one end.
    private mutating func stoppedAfterCurrent() {
        settings.stopAfterCurrent = false
        actions.append(.save(.settings(settings)))
        emit(.settings(settings))
        if sleepsAfterCurrent { fallAsleep() }
    }

    private mutating func finishSeekOnceHeard() {
        guard seek != nil, seek?.followUp == nil, goal.wantsSound, let current, !current.isOpening else { return }
        if isCurrentOver { loaded.endSeek() }
        guard let place = stream.timeline.place, current.holds(place.segment) else { return }
        if stream.transport == .running, stream.clock.isAdvancing { loaded.endSeek() }
    }

    /// The current item was heard to its end. False when there is nothing more to cross.
    mutating func reachedEnd() -> Bool {
        guard let ended = current, hasDecayed || !isLastInStream else { return false }
        // What failed while it was being stopped has been stopped.
        if case .stop = goal, ended.failure != nil { return false }
        if let error = ended.failure {
            currentFailed(error)
            return current?.isFed == true
        }
        guard let next = upcoming else { return false }
        let item = queue.item(next.item.id)
        let isAsLoaded = (item?.loops, item?.beginTime) == (next.item.loops, next.item.beginTime)
        guard next.item.id == successor(of: ended), isAsLoaded, !stopsAfterCurrent else {
            // It was in the ring already, and could not be taken out before the border.
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

    /// Makes a track that is already loaded the current one.
    mutating func enter(_ track: LoadedTrack) {
        let left = current
        loaded.enter(track)
        // Frames skipped before the item that is left do not concern this one.
        if lastError?.code != .outputUnavailable { lastError = nil }
        dropScan()
        queue.setCurrent(track.item.id)
        consume(left)
        emit(.item(currentItem))
        jumped()
        savePosition()
    }

    /// The last item was heard to its end (or its output drained).
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
            loaded.updateCurrent { $0.startPosition = 0 }
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

    /// Takes an item that was heard out of the queue, when the user wants that.
    private mutating func consume(_ track: LoadedTrack?) {
        guard settings.consume, let track, track.listened > 0, queue.item(track.item.id) != nil,
            goal.isAtRest || track.item.id != current?.item.id
        else { return }
        actions.append(.request(.edit(.remove([track.item.id]), expected: nil, play: false)))
    }
}
