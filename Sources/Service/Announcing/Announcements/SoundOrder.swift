// SPDX-License-Identifier: Apache-2.0

/// A sound as a client names it.
public struct SoundOrder: Sendable {
    public enum Content: Sendable {
        /// Taken as they are: speech does not wait for a look at its address.
        case addresses([String])
        /// Looked up as for a queue.
        case items([ItemRequest])
    }

    public var content: Content
    /// Heard before.
    public var chime: String?
    /// As of `Sound`.
    public var volume: Double?
    public var timeout: Double?

    public init(_ content: Content) { self.content = content }
}
