// SPDX-License-Identifier: Apache-2.0

/// A library, or a function that it should have, is not on this machine. What needs it fails with this reason; nothing
/// else does.
public struct MissingLibrary: Error, Sendable {
    /// For a sentence's end; it names the file.
    public let reason: String

    public init(reason: String) {
        self.reason = reason
    }
}
