// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The thread that a value belongs to: the first one that calls `check`. For classes that the compiler cannot check,
/// because they are made on one thread and used on another.
public struct OwningThread {
    private var thread: pthread_t?

    public init() {}

    /// Ends the process when called from another thread than the first time. Costs a few nanoseconds.
    public mutating func check() {
        let current = pthread_self()
        precondition(thread == nil || thread == current, "called from a thread that does not own this value")
        thread = current
    }
}
