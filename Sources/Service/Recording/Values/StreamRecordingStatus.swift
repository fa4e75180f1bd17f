// SPDX-License-Identifier: Apache-2.0

/// Whether a player's stream is recorded, and what became of the last recording.
public struct StreamRecordingStatus: Hashable, Sendable {
    public enum State: String, CaseIterable, Sendable {
        case idle, recording
        /// The server does not record.
        case disabled
    }

    public var state: State
    public var current: Current?
    public var last: Finished?

    public static let disabled = StreamRecordingStatus(state: .disabled)

    public init(state: State = .idle) { self.state = state }

    /// The recording that is being made.
    public struct Current: Hashable, Sendable {
        public var id: String
        public var item: String
        /// In the file.
        public var bytes: Int64 = 0
        /// That there will be; nil for a station.
        public var size: Int64?
        /// Places in the file where the station was joined anew, and something is missing.
        public var gaps = 0
        public var limits = StreamLimits()
    }

    /// How a recording ended.
    public struct Finished: Hashable, Sendable {
        public var id: String
        public var item: String
        /// Of what has an end: all of it is in the file. Of a station: all that came between beginning and end, without a gap.
        public var successfully: Bool
        public var reason: StreamEndReason
        public var bytes: Int64
        public var gaps = 0
        /// A sentence for people, when something went wrong.
        public var message: String?
    }
}

/// Where the recording of a stream ends by itself; nil: nowhere.
public struct StreamLimits: Hashable, Sendable {
    /// Since it began.
    public var seconds: Double?
    /// In the file.
    public var bytes: Int64?

    public init(seconds: Double? = nil, bytes: Int64? = nil) { (self.seconds, self.bytes) = (seconds, bytes) }
}

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
