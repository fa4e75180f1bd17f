// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// A weak reference that any thread may use, for callbacks to an owner.
public final class Weak<Value: AnyObject & Sendable>: Sendable {
    private struct Reference {
        weak var value: Value?
    }

    private let reference = Mutex(Reference())

    public init(_ value: Value? = nil) { self.value = value }

    public var value: Value? {
        get { reference.withLock { $0.value } }
        set { reference.withLock { $0.value = newValue } }
    }
}
