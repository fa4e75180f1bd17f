// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Kernel

/// Waits until other threads make a condition true; false after `seconds`.
///
/// It keeps its thread, on purpose: a task that yields spins, and each time it suspends, it waits for all other tests.
public func eventually(within seconds: Double = 60, _ condition: () throws -> Bool) rethrows -> Bool {
    let deadline = MonotonicTime.now.advanced(bySeconds: seconds)
    while try !condition() {
        guard MonotonicTime.now < deadline else { return false }
        usleep(1_000)
    }
    return true
}
