// SPDX-License-Identifier: Apache-2.0

/// Whether a player's stream is recorded, and what became of the last recording.
public struct StreamRecordingStatus: Hashable, Sendable {
    public enum State: String, CaseIterable, Sendable {
        case idle, recording
        /// The server does not record.
        case disabled
    }

    public var state = State.idle
    public var current: Current?
    public var last: Finished?

    public static var disabled: StreamRecordingStatus {
        var status = StreamRecordingStatus()
        status.state = .disabled
        return status
    }

    public init() {}

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
        public var limits: StreamLimits

        public init(id: String, item: String, size: Int64? = nil, limits: StreamLimits = StreamLimits()) {
            self.id = id
            self.item = item
            self.size = size
            self.limits = limits
        }
    }

    /// How a recording ended.
    public struct Finished: Hashable, Sendable {
        public var id: String
        public var item: String
        /// Of what has an end: all of it is in the file. Of a station: all that came between beginning and end, without a gap.
        public var successfully: Bool
        public var reason: StreamEndReason
        public var bytes: Int64
        public var gaps: Int
        /// A sentence for people, when something went wrong.
        public var message: String?

        public init(
            id: String, item: String, successfully: Bool, reason: StreamEndReason, bytes: Int64, gaps: Int = 0,
            message: String? = nil
        ) {
            self.id = id
            self.item = item
            self.successfully = successfully
            self.reason = reason
            self.bytes = bytes
            self.gaps = gaps
            self.message = message
        }
    }
}
