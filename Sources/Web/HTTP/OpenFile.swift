// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A file that is open for reading; closed with the last reference to it.
public final class OpenFile: Sendable {
    public let descriptor: Int32

    /// Takes ownership of `descriptor`.
    public init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }
}
