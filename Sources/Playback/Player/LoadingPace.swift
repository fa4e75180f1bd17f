// SPDX-License-Identifier: Apache-2.0

internal import Kernel

/// How fast a media has come since its first bytes, which may have come in one burst and do not count.
struct LoadingPace {
    /// Seconds. A shorter time is too little to measure the pace.
    private static let shortest = 0.5

    private var first: (byte: Int64, time: MonotonicTime)?
    private var end: Int64 = 0

    mutating func note(_ loading: MediaLoading, at now: MonotonicTime) {
        end = loading.place + loading.bytesAhead
        if first == nil, end > 0 { first = (end, now) }
    }

    /// nil while too little is known.
    func bytesPerSecond(at now: MonotonicTime) -> Double? {
        guard let first else { return nil }
        let elapsed = now.seconds(since: first.time)
        return elapsed < Self.shortest ? nil : Double(end - first.byte) / elapsed
    }
}
