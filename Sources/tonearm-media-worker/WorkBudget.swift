// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// How long one request may go on without an answer; it then answers with what it has, so that the server sees it live.
struct WorkBudget {
    private let end: Double

    init(seconds: Double) { end = Self.now + seconds }

    var isSpent: Bool { Self.now > end }

    private static var now: Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
