// SPDX-License-Identifier: Apache-2.0

internal import Playback
internal import Kernel

/// Paces progress reports: at once when loading starts, stalls or ends, else ten times a second. The final value is always
/// reported. Also measures the speed.
struct LoadingReports {
    static let interval = 0.1
    /// Seconds without a byte that count as a stall.
    static let stallAfter = 1.0

    /// Report a failure even if nothing has arrived.
    var reportsFailures = false
    private(set) var nextDue: MonotonicTime?
    private(set) var lastBytes: MonotonicTime?
    private var reported: MediaLoading?
    private var reportedAt: MonotonicTime?
    private var bytes = 0
    private var metered: MonotonicTime?
    private var mean = 0.0

    mutating func meter(_ count: Int) { bytes += count }

    /// Bytes per second over the last second or two.
    mutating func speed(now: MonotonicTime, isLoading: Bool) -> Double {
        if bytes > 0 { lastBytes = now }
        guard isLoading else {
            (bytes, metered, mean) = (0, nil, 0)
            return 0
        }
        guard let last = metered else {
            metered = now
            return mean
        }
        let elapsed = now.seconds(since: last)
        guard elapsed >= 0.25 else { return mean }
        let share = mean == 0 ? 1 : min(1, elapsed / 1.5)
        mean += (Double(bytes) / elapsed - mean) * share
        (bytes, metered) = (0, now)
        return mean
    }

    /// Whether to report `loading` now. If not, ask again at `nextDue`.
    mutating func isDue(_ loading: MediaLoading, now: MonotonicTime) -> Bool {
        guard isNews(loading) else {
            // The value equals the last report.
            nextDue = nil
            return false
        }
        let isTurn = reported?.isStalled != loading.isStalled || reported?.isSatisfied != loading.isSatisfied
        if !isTurn, let reportedAt, now.seconds(since: reportedAt) < Self.interval - 0.0005 {
            nextDue = reportedAt.advanced(bySeconds: Self.interval)
            return false
        }
        reported = loading
        reportedAt = now
        nextDue = nil
        return true
    }

    private func isNews(_ loading: MediaLoading) -> Bool {
        guard let reported else {
            return loading.size != nil || !loading.ranges.isEmpty || loading.isStalled
                || (reportsFailures && loading.isSatisfied)
        }
        return reported.ranges != loading.ranges || reported.size != loading.size
            || reported.isStalled != loading.isStalled
            || reported.isSatisfied != loading.isSatisfied
            // The read position matters when nothing else changes.
            || abs(reported.place - loading.place) >= 16_384
    }
}
