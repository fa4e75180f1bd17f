// SPDX-License-Identifier: Apache-2.0

/// The player's activity, as clients see it.
public enum PlayerStatus: String, CaseIterable, Sendable {
    /// No item was chosen yet.
    case idle
    case loading
    /// Loaded and silent: plays at once on command.
    case ready
    /// The sink's clock advances with our samples.
    case playing
    case paused
    /// Wants to play and waits for data.
    case buffering
    case seeking
    /// Something else prevents the sound; see `reason`.
    case interrupted
    case stopping
    case stopped
    /// The queue's last item was heard to its end.
    case completed
    case failed
}

/// The reason for the status.
public enum StatusReason: String, CaseIterable, Sendable {
    case user
    case endOfQueue = "end-of-queue"
    case stopAfterCurrent = "stop-after-current"
    case routeLost = "route-lost"
    case interruption
    case outputUnavailable = "output-unavailable"
    case outputSuspended = "output-suspended"
    case network
    /// Reserved by the API contract; decoder failures are reported as `mediaError`.
    case decodeError = "decode-error"
    /// The decoder did not keep up with the sink (a busy machine, a slow disk).
    case underrun
    case mediaError = "media-error"
    case sleepTimer = "sleep-timer"
    case restored
    case queueChanged = "queue-changed"
    /// The audio session's category does not allow playback.
    case session
    /// An interruption has ended without permission to resume, or the player does not resume by itself.
    case interruptionEnded = "interruption-ended"
    /// The audio session's category did not allow playback before, and does now.
    case sessionChanged = "session-changed"
    /// The output was unavailable for too long, and is available again.
    case outputReturned = "output-returned"
    /// The leader is silent.
    case leader
    /// Plays inaudibly: the silent switch is on and applies to the audio session's category.
    case silentSwitch = "silent-switch"
}

/// The reason for the end of an item. Each item that became current completes exactly once.
public enum CompletionReason: String, Sendable {
    case finished
    /// The user left it: next, previous, play of another item, stop.
    case user
    case removed
    case error
}

/// A failure as clients see it: a stable code, a sentence, and the item.
public struct PlaybackError: Error, Hashable, Sendable {
    public enum Code: String, CaseIterable, Sendable {
        case notFound = "not-found"
        case forbidden
        case privateAddress = "private-address"
        case unreadable
        case unsupported
        case empty
        case decoderFailed = "decoder-failed"
        case network
        /// Too many underruns within a short time.
        case bouncing
        /// A truncated file was played to its end. Only an event: the queue goes on.
        case incomplete
        /// An announcement or effect sound that does not end.
        case tooLong = "too-long"
        case outputUnavailable = "output-unavailable"
        case outputRefused = "output-refused"
        /// 404: no item has this id.
        case unknownItem = "unknown-item"
        /// 404: there is no next, previous or current item.
        case noSuchContent = "no-such-content"
        // 409: not possible in this state.
        /// The required library is not installed.
        case libraryMissing = "library-missing"
        case notSeekable = "not-seekable"
        case invalidState = "invalid-state"
        /// The player follows another one, which controls playback.
        case following
        /// The audio session's category does not allow it.
        case sessionForbids = "session-forbids"
        case nothingToUndo = "nothing-to-undo"
        case nothingToRedo = "nothing-to-redo"
        /// 412
        case revisionMismatch = "revision-mismatch"
        /// 413
        case queueFull = "queue-full"
        /// 422
        case outOfRange = "out-of-range"
        case unknownOutput = "unknown-output"
        /// 500: the change could not be saved and was not applied.
        case notSaved = "not-saved"
        /// 507: as `notSaved`, because the disk is full.
        case diskFull = "disk-full"
        case timedOut = "timed-out"
        /// 503: the server is shutting down.
        case shuttingDown = "shutting-down"
    }

    public var code: Code
    public var message: String
    public var itemID: ItemID?
    /// The member of the command that is out of range, as clients name it.
    public var member: String?
    /// As in `MediaError`.
    public var part: Int?

    public init(_ code: Code, _ message: String, itemID: ItemID? = nil, member: String? = nil) {
        self.code = code
        self.message = message
        self.itemID = itemID
        self.member = member
    }

    public init(_ failure: SaveFailure) { self.init(failure.isDiskFull ? .diskFull : .notSaved, failure.reason) }

    public init(_ error: MediaError, itemID: ItemID? = nil) {
        self.init(Code(rawValue: error.code.rawValue) ?? .unreadable, error.message, itemID: itemID)
        part = error.part
    }
}
