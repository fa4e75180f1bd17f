// SPDX-License-Identifier: Apache-2.0

internal import CPulse

/// An object that libpulse's callbacks reach through their `userdata`. It must outlive them.
protocol CallbackTarget: AnyObject {}

extension CallbackTarget {
    var userdata: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    static func from(_ userdata: UnsafeMutableRawPointer?) -> Self {
        Unmanaged<Self>.fromOpaque(userdata!).takeUnretainedValue()
    }
}

/// Releases an operation that is neither awaited nor cancelled.
func release(_ operation: OpaquePointer?) {
    if let operation { pa_operation_unref(operation) }
}

/// The value of a property list's key.
func property(_ key: String, of list: OpaquePointer?) -> String? {
    list.flatMap { pa_proplist_gets($0, key) }.map { String(cString: $0) }
}

/// Lists the server's objects, one listing at a time; a change during a listing causes another one.
enum Listings {
    case none, running, outdated

    /// False if a listing is running.
    mutating func begin() -> Bool {
        defer { self = self == .none ? .running : .outdated }
        return self == .none
    }

    /// True if another listing is needed.
    mutating func end() -> Bool {
        defer { self = .none }
        return self == .outdated
    }

    /// As `end`, after a failure. libpulse gives up a request after 30 s. Other errors come at once, and another listing
    /// would bring them again.
    mutating func fail(_ context: OpaquePointer) -> Bool {
        end() || pa_context_errno(context) == Int32(PA_ERR_TIMEOUT.rawValue)
    }
}
