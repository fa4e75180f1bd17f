// SPDX-License-Identifier: Apache-2.0

/// Whether a player's stream is being saved, and the result of the last saving.
public struct StreamRecordingStatus: Hashable, Sendable {
    public enum State: String, CaseIterable, Sendable {
        case idle, recording
        /// The server does not record.
        case disabled
    }

    public var state = State.idle
    public var current: Current?
    public var last: Finished?

    public static let disabled = StreamRecordingStatus(state: .disabled)

    /// The file in progress.
    public struct Current: Hashable, Sendable {
        public var id: String
        public var item: String
        /// In the file.
        public var bytes: Int64 = 0
        /// Final size; nil for a station.
        public var size: Int64?
        /// Places in the file where the station was reconnected and sound is missing.
        public var gaps = 0
        public var limits = StreamLimits()
    }

    /// The result of a saving.
    public struct Finished: Hashable, Sendable {
        public var id: String
        public var item: String
        /// An item with an end: all of it is in the file. A station: all received bytes are in the file, without a gap.
        public var successfully: Bool
        public var reason: StreamEndReason
        public var bytes: Int64
        public var gaps = 0
        /// A sentence for users about a failure.
        public var message: String?
    }
}

/// Limits at which the saving ends by itself; nil: no limit.
public struct StreamLimits: Hashable, Sendable {
    /// Since the start.
    public var seconds: Double?
    /// In the file.
    public var bytes: Int64?

    public init(seconds: Double? = nil, bytes: Int64? = nil) { (self.seconds, self.bytes) = (seconds, bytes) }
}

/// Why the saving of a stream ended.
public enum StreamEndReason: String, CaseIterable, Sendable {
    case user
    /// The item is complete in the file.
    case end
    /// Another item became current, or none.
    case item
    /// The player left the station: it was paused or stopped, or has no output.
    case left
    /// A seek skipped bytes, so the following ones would not continue the file.
    case seek
    case network
    /// The disk did not keep up: bytes were dropped before they could be written.
    case tooSlow = "too-slow"
    case diskFull = "disk-full"
    case writeError = "write-error"
    /// `StreamLimits` was reached.
    case timeLimit = "time-limit"
    case sizeLimit = "size-limit"
    /// The player was removed.
    case player
    case shutdown
}
