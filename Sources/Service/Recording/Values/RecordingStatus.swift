// SPDX-License-Identifier: Apache-2.0

internal import Kernel

/// State of the recorder, and the result of the last recording.
public struct RecordingStatus: Hashable, Sendable {
    public enum State: String, CaseIterable, Sendable {
        case idle
        /// The source is being opened.
        case starting
        case recording
        /// The sound server delivers nothing, not even silence. The recording resumes with the next sound.
        case interrupted
        case paused
        /// The server does not record.
        case disabled
    }

    public var state = State.idle
    public var current: Current?
    public var last: Finished?

    public static let disabled = RecordingStatus(state: .disabled)

    /// The recording in progress.
    public struct Current: Hashable, Sendable {
        public var id: String
        public var settings: RecordingSettings
        /// The sound server's name of the source; nil until it is open.
        public var source: String?
        /// Seconds in the file.
        public var duration = 0.0
        /// Frames that are missing because the disk did not keep up, or the sound server stood still.
        public var lostFrames = 0
    }

    /// The result of a recording.
    public struct Finished: Hashable, Sendable {
        public var id: String
        /// The file is complete.
        public var successfully: Bool
        public var reason: EndReason
        public var duration: Double
        /// A sentence for users about a failure.
        public var message: String?
    }
}

public enum EndReason: String, CaseIterable, Sendable {
    case user
    /// The source or the sound server disappeared.
    case routeChange = "route-change"
    /// The session's category no longer permits it.
    case session
    case diskFull = "disk-full"
    case writeError = "write-error"
    /// The file reached the maximum size of its kind.
    case sizeLimit = "size-limit"
    case shutdown
}

/// A recording in the directory.
public struct RecordingEntry: Hashable, Sendable {
    public var id: String
    /// Bytes.
    public var size: UInt64
    /// Time of its end: milliseconds since the Unix epoch.
    public var modified: Int64
    /// The server died during the recording, and the next start recovered the file.
    public var isRecovered: Bool
    /// nil for a file that is not readable as sound.
    public var sound: Sound?

    public struct Sound: Hashable, Sendable {
        /// Seconds; nil if the header has no length.
        public var duration: Double?
        public var sampleRate: Int
        public var channelCount: Int
        public var bits: Int?
        public var isFloat: Bool

        public init(duration: Double?, sampleRate: Int, channelCount: Int, bits: Int?, isFloat: Bool) {
            self.duration = duration
            self.sampleRate = sampleRate
            self.channelCount = channelCount
            self.bits = bits
            self.isFloat = isFloat
        }
    }

    public init(id: String, size: UInt64, modified: Int64, isRecovered: Bool, sound: Sound?) {
        self.id = id
        self.size = size
        self.modified = modified
        self.isRecovered = isRecovered
        self.sound = sound
    }
}

/// Called exactly once, from any thread; it must not block.
public typealias RecordingReply<Value> = @Sendable (Result<Value, RecordingError>) -> Void

/// Why a request was refused or failed: callers react to the case, users read the sentence.
public enum RecordingError: Error, Hashable, Sendable {
    /// There is nothing to record from: no sound server, or no source.
    case noSource(String)
    case unknownSource(String)
    /// The session does not permit it.
    case notPermitted(String)
    case unknownRecording(String)
    /// The player has no web item that could be saved.
    case nothingToSave(String)
    /// The file is in progress.
    case inUse(String)
    case notRecording
    /// The recording ended before it began.
    case ended(String)
    case diskFull(String)
    case failed(String)
    case shuttingDown

    /// A sentence for users.
    public var sentence: String {
        switch self {
        case .noSource(let text), .unknownSource(let text), .notPermitted(let text), .diskFull(let text),
            .ended(let text), .failed(let text), .nothingToSave(let text):
            text
        case .unknownRecording(let id): "There is no recording \(id.prefix(100))."
        case .inUse(let id): "\(id) is being recorded."
        case .notRecording: "Nothing is being recorded."
        case .shuttingDown: "The recorder is stopping."
        }
    }

    init(_ refusal: LazyLoop<some Sendable>.Refusal) {
        self =
            switch refusal {
            case .noThread: .failed(refusal.reason)
            case .ended: .shuttingDown
            }
    }
}
