// SPDX-License-Identifier: Apache-2.0

/// Reports of the decode threads.
extension PlayerCore {
    mutating func decoded(_ generation: Generation, _ event: DecodeEvent) {
        guard var track = loaded[generation] else { return }
        let isCurrent = track.generation == current?.generation
        if isCurrent, goal.isAtRest { return }
        let before = track
        update(&track, with: event)
        loaded.update(generation) { $0 = track }
        guard isCurrent else { return followBorder(event) }
        if !track.isOpening { openingSurvived() }
        currentReported(event, before: before)
    }

    private mutating func update(_ track: inout LoadedTrack, with event: DecodeEvent) {
        if case .disconnected = track.stage { return }
        switch event {
        case .opened(let media):
            track.media = media
            // An empty item that repeats would never sound and never end.
            if media.durationIsExact, media.duration == 0 {
                track.fail(PlaybackError(.empty, "There is no sound in it.", itemID: track.item.id))
            }
        case .mediaChanged(let media, let start):
            statistics.decodeErrors += UInt64(max(0, media.decodeErrors - (track.media?.decodeErrors ?? 0)))
            track.update(media, from: start)
        case .loading(let loading):
            track.loading = loading
            track.pace.note(loading, at: now)
        case .primed(let run, let position):
            guard run == track.run, track.isOpening else { return }
            track.stage = .primed
            track.primedAt = now
            track.startPosition = position
        case .wrote(let run, let start, let position, let pace):
            guard run == track.run, case .feeding = track.stage else { return }
            if track.splice != nil { stream.timeline.drop(from: start) }
            track.splice = nil
            stream.timeline.append(
                Timeline.Segment(
                    generation: track.generation, run: run, start: start, position: position, pace: pace, end: nil))
        case .splice(let run, let splice):
            guard run == track.run, let generation = stream.generation else { return }
            actions.append(.output(.stream(.splice(splice), generation)))
        case .held(let run, let tail, let end):
            guard run == track.run, case .feeding = track.stage else { return }
            track.stage = .held(tail, end: end)
        case .ended(let run, let end):
            guard run == track.run, track.isFed, !track.isWritten else { return }
            track.stage = .written(end: end)
        case .failed(let run, let error, let end):
            guard run == track.run else { return }
            track.fail(PlaybackError(error, itemID: track.item.id), end: end)
        }
    }

    private mutating func currentReported(_ event: DecodeEvent, before: LoadedTrack) {
        switch event {
        case .opened, .mediaChanged:
            if let current, current.media != before.media { emit(.item(currentItem)) }
        case .primed(let run, _):
            guard run == current?.run else { return }
            if seek?.followUp == nil, current?.splice == nil { prebufferBeforeFeeding() }
            if let seek, let followUp = seek.followUp {
                runSeek(followUp, target: seek.target)
                return
            }
            let (target, place) = (seek?.target, current?.startPosition ?? before.startPosition)
            if target != nil { loaded.seek = LoadedTracks.Seek(target: place) }
            // Until a splice, the position is that of the older frames.
            if current?.splice == nil, abs(place - (target ?? before.startPosition)) > 0.001 {
                jumped()
            } else if target != nil {
                reportTime()
            }
        case .failed:
            if current?.failure != nil { emit(.item(currentItem)) }
        case .loading:
            prebufferAfterUnderrun()
            if let current { emit(.loaded(itemID: current.item.id)) }
        case .wrote, .splice, .held, .ended: return
        }
    }

    /// True if the queue continues after this many failures in a row.
    func continues(afterFailures failures: Int) -> Bool {
        settings.onError == .skip && (settings.repeats != .one || course != .onward) && !stopsAfterCurrent
            && failures < max(2, queue.count)
    }

    /// The current item failed: the queue goes on if sound was wanted, otherwise the player shows the failure.
    mutating func currentFailed(_ error: PlaybackError) {
        guard let failed = current else { return }
        countFailure()
        let wasToSound = goal.wantsSound
        let place = position
        complete(failed, .error)
        emit(.error(error))
        let successor = wasToSound ? successorOfFailed() : nil
        guard continues(afterFailures: failuresInARow), let next = successor, next != failed.item.id,
            let item = queue.item(next)
        else {
            lastError = error
            rest(.failed(error), at: place)
            if failed.isFed { flush() }
            if wasToSound, successor == nil { emit(.queueEnded) }
            return
        }
        if let ready = upcoming, ready.item.id == next {
            enter(ready)
        } else {
            dropUpcoming()
            enter(load(item, at: nil))
        }
        // Explains why the failed item was skipped.
        lastError = error
    }
}
