// SPDX-License-Identifier: Apache-2.0

internal import Playback
internal import Kernel

/// Chooses the segments to fetch, and reports progress.
extension HLSSchedule {
    /// Fetches one segment after another, until enough complete ones are loaded.
    mutating func steer() {
        guard let first = slots.first?.segment.sequence, cursor >= first else { return }
        var ahead = 0.0
        var bytes: Int64 = 0
        var kept: Set<Int64> = [cursor - 1]
        let near = slots.dropFirst(Int(cursor - first)).prefix(limits.aheadSegments)
        for slot in near where !slot.segment.isGap {
            let sequence = slot.segment.sequence
            guard ahead < limits.ahead, bytes < limits.aheadBytes else { break }
            kept.insert(sequence)
            guard let fetch = fetches[sequence] else {
                fetches[sequence] = Fetch()
                actions.append(.open(slot.segment))
                break
            }
            guard fetch.isWhole else { break }
            // The current segment does not count as ahead.
            if sequence != cursor {
                ahead += slot.segment.duration
                bytes += fetch.bytes
            }
        }
        // Complete segments that follow the cursor without a hole stay loaded, even beyond the limits.
        for slot in near {
            guard slot.segment.isGap || fetches[slot.segment.sequence]?.isWhole == true else { break }
            kept.insert(slot.segment.sequence)
        }
        for sequence in fetches.keys.sorted() where !kept.contains(sequence) {
            fetches[sequence] = nil
            actions.append(.close(sequence))
        }
        if isLive { dropOld() }
    }

    mutating func dropOld() {
        guard let first = slots.first?.segment.sequence else { return }
        let count = Int(min(max(0, cursor - 1 - first), Int64(slots.count - 1)))
        if count > 0 { slots.removeFirst(count) }
    }

    // MARK: Reports

    /// Thousandths of a second.
    static let unitsPerSecond = 1_000.0

    private func units(_ seconds: Double) -> Int64 { Int64(clamping: max(0, seconds) * Self.unitsPerSecond) }

    mutating func report() {
        var loading = MediaLoading()
        loading.unitsPerSecond = Self.unitsPerSecond
        for sequence in fetches.keys.sorted() {
            guard let slot = slot(sequence), let fetch = fetches[sequence] else { continue }
            let range = units(slot.start)..<units(slot.start + slot.segment.duration * share(fetch.bytes, of: fetch))
            guard !range.isEmpty else { continue }
            if let last = loading.ranges.last, last.upperBound >= range.lowerBound {
                loading.ranges[loading.ranges.count - 1] = last.lowerBound..<range.upperBound
            } else {
                loading.ranges.append(range)
            }
        }
        loading.size = isLive ? nil : slots.last.map { units($0.end) }
        if let slot = slot(cursor) {
            let fetch = fetches[cursor]
            loading.place = units(slot.start + slot.segment.duration * (fetch.map { share($0.read, of: $0) } ?? 0))
        } else {
            loading.place = slots.last.map { units($0.end) } ?? 0
        }
        let current = fetches.first { $0.key >= cursor && !$0.value.isWhole }?.value
        let isStuck = isLive && !isEnded && now.seconds(since: changedAt) >= 2 * target + 1
        loading.isStalled = current?.loading.isStalled ?? isStuck
        loading.isSatisfied = failure != nil || (current.map(\.loading.isSatisfied) ?? hasEnough)
        loading.bytesPerSecond = reporting.speed(now: now, isLoading: current != nil)
        if reporting.isDue(loading, now: now) { actions.append(.report(loading)) }
        if let next = nextWake, wakesAt.map({ next < $0 }) ?? true {
            wakesAt = next
            actions.append(.wake(next))
        }
    }

    private func share(_ bytes: Int64, of fetch: Fetch) -> Double {
        guard let size = fetch.size, size > 0 else { return fetch.isWhole && bytes > 0 ? 1 : 0 }
        return min(1, Double(bytes) / Double(size))
    }

    /// While nothing is being fetched: enough is loaded. False if a live stream has no more segments yet.
    private var hasEnough: Bool {
        if isEnded { return true }
        guard let slot = slot(cursor), let last = slots.last else { return false }
        return last.end - slot.end >= limits.ahead || last.segment.sequence - cursor >= limits.aheadSegments
    }

    private var nextWake: MonotonicTime? {
        var times = [reporting.nextDue].compactMap { $0 }
        switch reload {
        case .none: break
        case .waiting(let time): times.append(time)
        case .fetching(let since): times.append(since.advanced(bySeconds: limits.playlist))
        }
        if isLive, !isEnded, failure == nil {
            times.append(changedAt.advanced(bySeconds: stallLimit))
            let stuck = changedAt.advanced(bySeconds: 2 * target + 1)
            if stuck > now { times.append(stuck) }
        }
        return times.min()
    }
}
