// SPDX-License-Identifier: Apache-2.0

internal import Kernel

/// Time limit of one request. After it, the worker replies with the result so far, so that the server knows that it is alive.
struct WorkBudget {
    private let end: MonotonicTime

    init(seconds: Double) { end = .now.advanced(bySeconds: seconds) }

    var isSpent: Bool { end < .now }
}
