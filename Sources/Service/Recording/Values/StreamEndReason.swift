// SPDX-License-Identifier: Apache-2.0

/// Why the recording of a stream ended.
public enum StreamEndReason: String, CaseIterable, Sendable {
    case user
    /// All of what has an end is in the file.
    case end
    /// Another item became current, or none.
    case item
    /// The player has left the station: paused, stopped, or without an output.
    case left
    /// What comes after a jump would not join what is in the file.
    case seek
    case network
    /// The disk did not keep up: the next bytes were gone before they could be written.
    case tooSlow = "too-slow"
    case diskFull = "disk-full"
    case writeError = "write-error"
    /// As long, or as large, as was asked for.
    case timeLimit = "time-limit"
    case sizeLimit = "size-limit"
    /// The player was removed.
    case player
    case shutdown
}
