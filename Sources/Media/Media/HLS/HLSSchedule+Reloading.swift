// SPDX-License-Identifier: Apache-2.0

internal import Playback
internal import Kernel

/// The playlist of a live stream, which grows at its end and is cut at its beginning.
extension HLSSchedule {
    /// Copies of one playlist in different places may be behind each other by so many segments.
    private static let tolerance: Int64 = 3

    var stallLimit: Double { max(limits.stall, 3 * target) }

    mutating func playlistCame(_ playlist: HLSMediaPlaylist, now: MonotonicTime) -> [Action] {
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

    /// Whether there is something new.
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
            // It counts from somewhere else, or so much has passed that nothing is left to go on with.
            restart(with: playlist.slots)
            return true
        }
        // Numbers of discontinuities that a server does not send change when one leaves the playlist.
        let same = playlist.slots.slot(last.sequence)?.segment
        append(
            playlist.slots.dropFirst(Int(last.sequence + 1 - first.sequence)),
            discontinuities: same.map { last.discontinuity - $0.discontinuity } ?? 0)
        // More of them than that are not waited for.
        if !playlist.isEnded { slots.keepLast(HLSParser.mostLive) }
        return true
    }

    private mutating func restart(with new: HLSSlots) {
        let place = slot(cursor)?.start ?? slots.last?.end ?? 0
        for sequence in fetches.keys.sorted() { actions.append(.close(sequence)) }
        fetches = [:]
        // The clock of what was before holds no longer.
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
