// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A file descriptor that is closed with its owner.
public struct OwnedDescriptor: ~Copyable, Sendable {
    public let number: Int32

    public init(_ number: Int32) {
        self.number = number
    }

    deinit {
        close(number)
    }

    /// Gives the descriptor away: the caller closes it.
    consuming func release() -> Int32 {
        let number = number
        discard self
        return number
    }
}
