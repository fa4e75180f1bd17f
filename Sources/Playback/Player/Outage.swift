// SPDX-License-Identifier: Apache-2.0

internal import Kernel

/// The sink is unavailable although it should play: when to try the next stream, and for how long. `PlayerCore` starts an
/// outage with the failure and ends it when sound is heard or no longer wanted.
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

    /// A sink is available again: try at once.
    mutating func retry(_ now: MonotonicTime) { retryTime = now }
}
