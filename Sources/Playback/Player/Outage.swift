// SPDX-License-Identifier: Apache-2.0

internal import Kernel

/// The sink is away although it should play. Owns when the next stream is tried, and for how long. `PlayerCore` begins it with
/// the failure (`PlayerCore+Output`), and ends it with sound or without a wish for any.
struct Outage {
    /// Seconds after which the player pauses.
    static let limit = 300.0

    private let since: MonotonicTime
    private var attempts = 0
    private(set) var retryTime: MonotonicTime

    init(_ now: MonotonicTime) {
        since = now
        retryTime = now
    }

    var end: MonotonicTime { since.advanced(bySeconds: Self.limit) }

    func isOver(_ now: MonotonicTime) -> Bool { now.isOver(Self.limit, since: since) }

    mutating func failed(_ now: MonotonicTime) {
        attempts += 1
        retryTime = now.advanced(bySeconds: min(2, 0.05 * Double(1 << min(attempts, 6))))
    }

    /// There is a sink again.
    mutating func retry(_ now: MonotonicTime) { retryTime = now }
}
