// SPDX-License-Identifier: Apache-2.0

internal import Playback
internal import Kernel

/// Reloading of a live playlist, which grows at its end and loses segments at its beginning.
extension HLSSchedule {
    /// Segments by which one server's copy of a playlist may lag behind another's.
    private static let tolerance: Int64 = 3

    var stallLimit: Double { max(limits.stall, 3 * target) }

    mutating func playlistArrived(_ playlist: HLSMediaPlaylist, now: MonotonicTime) -> [Action] {
        self.now = now
        guard case .fetching = reload else { return [] }
        target = playlist.targetDuration
        reloadError = nil
        let changed = merge(playlist)
        if changed || playlist.isEnded { changedAt = now }
        isEnded = playlist.isEnded
        if changed, failure?.code == .network { failure = nil }
        if isEnded { reload = .none } else { scheduleReload(changed: changed) }
        return finish()
    }

    mutating func playlistFailed(_ error: MediaError, now: MonotonicTime) -> [Action] {
        self.now = now
        guard case .fetching = reload else { return [] }
        reloadError = error
        scheduleReload(changed: false)
        return finish()
    }

    /// Adds the new segments. Returns true if there were any.
    private mutating func merge(_ playlist: HLSMediaPlaylist) -> Bool {
        guard let first = playlist.slots.first?.segment, let newest = playlist.slots.last?.segment.sequence else {
            return false
        }
        guard let last = slots.last?.segment else {
            slots = playlist.slots
            oldest = first.sequence
            return true
        }
        if newest <= last.sequence, newest >= last.sequence - Self.tolerance { return false }
        oldest = first.sequence
        if newest < last.sequence || first.sequence > last.sequence + 1 {
            // The numbering restarted, or every segment that the stream knew has left the playlist.
            restart(with: playlist.slots)
            return true
        }
        // Without EXT-X-DISCONTINUITY-SEQUENCE the numbers shift when a discontinuity leaves the playlist.
        let same = playlist.slots.slot(last.sequence)?.segment
        append(
            playlist.slots.dropFirst(Int(last.sequence + 1 - first.sequence)),
            discontinuities: same.map { last.discontinuity - $0.discontinuity } ?? 0)
        // Bounds memory.
        if !playlist.isEnded { slots.keepLast(HLSParser.mostLive) }
        return true
    }

    private mutating func restart(with new: HLSSlots) {
        let place = slot(cursor)?.start ?? slots.last?.end ?? 0
        for sequence in fetches.keys.sorted() { actions.append(.close(sequence)) }
        fetches = [:]
        // A new discontinuity number, as clocks of earlier segments are no longer valid.
        let shift = (slots.last?.segment.discontinuity ?? 0) + 1 - (new.first?.segment.discontinuity ?? 0)
        slots = HLSSlots()
        append(new[...], discontinuities: shift)
        let edge = edge
        slots.shift(by: place - (slot(edge)?.start ?? 0))
        if let first = slots.first?.segment.sequence { slots.removeFirst(Int(edge - first)) }
        cursor = edge
        isRestarted = true
    }

    private mutating func append(_ new: HLSSlots.SubSequence, discontinuities: Int64) {
        for slot in new {
            var segment = slot.segment
            segment.discontinuity += discontinuities
            slots.append(segment)
        }
    }

    mutating func scheduleReload(changed: Bool) {
        let pause = changed ? target : max(0.5, target / 2)
        let since = fetchedAt
        reload = .waiting(until: max(now, since.advanced(bySeconds: pause)))
    }

    mutating func checkReload() {
        guard isLive, !isEnded else { return }
        if failure == nil, now.seconds(since: changedAt) >= stallLimit - 0.0005 {
            let seconds = Int(clamping: stallLimit)
            failure = reloadError ?? MediaError(.network, "\(name): the station has sent nothing new for \(seconds) s.")
        }
        switch reload {
        case .waiting(let time) where time <= now: fetch()
        case .fetching(let since) where now.seconds(since: since) >= limits.playlist - 0.0005: fetch()
        case .none, .waiting, .fetching: break
        }
    }

    private mutating func fetch() {
        reload = .fetching(since: now)
        fetchedAt = now
        actions.append(.fetchPlaylist)
    }
}
