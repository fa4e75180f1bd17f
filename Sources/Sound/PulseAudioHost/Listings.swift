// SPDX-License-Identifier: Apache-2.0

/// Listings of the server's objects, one at a time; a change during one causes another.
enum Listings {
    case none, running, outdated

    /// False: one runs already.
    mutating func begin() -> Bool {
        defer { self = self == .none ? .running : .outdated }
        return self == .none
    }

    /// True: another one is to follow.
    mutating func end() -> Bool {
        defer { self = .none }
        return self == .outdated
    }
}
