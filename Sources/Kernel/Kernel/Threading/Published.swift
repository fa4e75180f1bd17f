// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// A value that its owner changes and any thread reads, with one observer of its events.
///
/// The observer is called on the thread of the change, after the new value is readable. It must not block.
public final class Published<Value: Sendable, Event: Sendable>: Sendable {
    private struct State {
        var value: Value
        var observer: @Sendable (Event) -> Void = { _ in }
    }

    private let state: Mutex<State>

    public init(_ value: Value) { state = Mutex(State(value: value)) }

    public var value: Value { state.withLock { $0.value } }

    public func observe(_ observer: @escaping @Sendable (Event) -> Void) {
        state.withLock { $0.observer = observer }
    }

    /// `body` returns the event for the observer, if there is one.
    public func change(_ body: (inout Value) -> Event?) {
        let (event, observer) = state.withLock { state in (body(&state.value), state.observer) }
        if let event { observer(event) }
    }

    /// Changes the value without an event.
    public func update(_ body: (inout Value) -> Void) { state.withLock { body(&$0.value) } }

    public func notify(_ event: Event) { change { _ in event } }
}
