// SPDX-License-Identifier: Apache-2.0

/// The time from a follower's play command until it is heard, learned from the first distance to its leader after a start.
struct StartDelay {
    private(set) var seconds = 0.1
    private var last = 0.1
    private var isUnmeasured = false

    mutating func started() { isUnmeasured = true }

    /// The next distance shows no start delay.
    mutating func jumped() { isUnmeasured = false }

    /// - Parameter apart: the seconds by which the leader is ahead.
    mutating func learn(_ apart: Double) {
        guard isUnmeasured else { return }
        isUnmeasured = false
        let measured = min(max(0, seconds + apart), 2)
        // A single slow start is an exception: otherwise the next start would be ahead by as much.
        seconds = min(measured, last)
        last = measured
    }
}
