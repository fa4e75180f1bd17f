// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The thread that owns a value: the first caller of `check`. For objects that are created on one thread and used on another,
/// which the compiler cannot check.
public struct OwningThread {
    private var thread: pthread_t?

    public init() {}

    /// Traps on any thread other than the first caller's. Takes a few nanoseconds.
    public mutating func check() {
        let current = pthread_self()
        precondition(thread == nil || thread == current, "called from a thread that does not own this value")
        thread = current
    }
}
