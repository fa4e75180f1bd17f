// SPDX-License-Identifier: Apache-2.0

internal import Kernel

/// What the recorder is doing, and what became of the last recording.
public struct RecordingStatus: Hashable, Sendable {
    public enum State: String, CaseIterable, Sendable {
        case idle
        /// The source is being opened.
        case starting
        case recording
        case paused
        /// The server does not record.
        case disabled
    }

    public var state: State
    public var current: Current?
    public var last: Finished?

    public static let disabled = RecordingStatus(state: .disabled)

    public init(state: State = .idle) { self.state = state }

    /// The recording that is being made.
    public struct Current: Hashable, Sendable {
        public var id: String
        public var settings: RecordingSettings
        /// What the sound server calls the source that is recorded; nil until it is open.
        public var source: String?
        /// Seconds in the file.
        public var duration = 0.0
        /// Frames that came faster than they could be written, and are missing.
        public var lostFrames = 0
    }

    /// How a recording ended.
    public struct Finished: Hashable, Sendable {
        public var id: String
        /// Everything until the end is in the file.
        public var successfully: Bool
        public var reason: EndReason
        public var duration: Double
        /// A sentence for people, when something went wrong.
        public var message: String?
    }
}

public enum EndReason: String, CaseIterable, Sendable {
    case user
    /// The source went away, or the sound server did.
    case routeChange = "route-change"
    /// The session's category does not permit it any longer.
    case session
    case diskFull = "disk-full"
    case writeError = "write-error"
    /// As large as a file of its kind can be.
    case sizeLimit = "size-limit"
    case shutdown
}

/// A recording in the directory.
public struct RecordingEntry: Hashable, Sendable {
    public var id: String
    /// Bytes.
    public var size: UInt64
    /// Milliseconds since the Unix epoch, of its end.
    public var modified: Int64
    /// The process died while it was made, and it was found at the next start.
    public var isRecovered: Bool
    /// nil for a file that cannot be read as sound.
    public var sound: Sound?

    public struct Sound: Hashable, Sendable {
        /// Seconds; nil when its header does not have them.
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

/// Why something was refused or went wrong; a caller reacts to the case, people read the sentence.
public enum RecordingError: Error, Hashable, Sendable {
    /// There is nothing to record from: no sound server, or no source.
    case noSource(String)
    case unknownSource(String)
    /// The session does not permit it.
    case notPermitted(String)
    /// Settings that do not go together.
    case invalid(member: String, reason: String)
    case unknownRecording(String)
    /// A player has nothing from the web that could be saved.
    case nothingToSave(String)
    /// It is being made.
    case inUse(String)
    case notRecording
    /// It was ended before it began.
    case ended(String)
    case diskFull(String)
    case failed(String)
    case shuttingDown

    init(_ refusal: LazyLoop<some Sendable>.Refusal) {
        self =
            switch refusal {
            case .noThread: .failed("The machine lets the server have no more threads.")
            case .ended: .shuttingDown
            }
    }
}
