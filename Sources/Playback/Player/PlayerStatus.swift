// SPDX-License-Identifier: Apache-2.0

/// The player's activity, as every client sees it.
public enum PlayerStatus: String, CaseIterable, Sendable {
    /// Nothing chosen yet.
    case idle
    case loading
    /// Loaded and silent: would sound at once.
    case ready
    /// The sink's clock advances with our samples.
    case playing
    case paused
    /// Wants to play and waits for bytes.
    case buffering
    case seeking
    /// Someone else has the sound; `reason` has who.
    case interrupted
    case stopping
    case stopped
    /// The queue's last item was heard to its end.
    case completed
    case failed
}

/// Why the status is what it is.
public enum StatusReason: String, CaseIterable, Sendable {
    case user
    case endOfQueue = "end-of-queue"
    case stopAfterCurrent = "stop-after-current"
    case routeLost = "route-lost"
    case interruption
    case outputUnavailable = "output-unavailable"
    case outputSuspended = "output-suspended"
    case network
    /// Of the contract; a decoder that fails is reported as `mediaError` so far.
    case decodeError = "decode-error"
    /// The decoder has not kept up with the sink (a busy machine, a slow disk).
    case underrun
    case mediaError = "media-error"
    case sleepTimer = "sleep-timer"
    case restored
    case queueChanged = "queue-changed"
    /// The audio session's category does not play.
    case session
    /// An interruption is over, and asked for silence afterwards, or the music is not to go on by itself.
    case interruptionEnded = "interruption-ended"
    /// The audio session's category had not played; it would now.
    case sessionChanged = "session-changed"
    /// The output was away for too long; it is there again.
    case outputReturned = "output-returned"
    /// The leader is silent.
    case leader
    /// It plays inaudibly: the silent switch is on, and it applies to the audio session's category.
    case silentSwitch = "silent-switch"
}

/// Why an item is over; each item that became current is completed exactly once.
public enum CompletionReason: String, Sendable {
    case finished
    /// The user went elsewhere: next, previous, play of another, stop.
    case user
    case removed
    case error
}

/// A failure as clients see it: a stable code, a sentence, the item it concerns.
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
        /// It ran dry too often within a short time.
        case bouncing
        /// A file that was heard up to where it was cut off. Only an event: the queue goes on.
        case incomplete
        /// An announcement or effect that does not end.
        case tooLong = "too-long"
        case outputUnavailable = "output-unavailable"
        case outputRefused = "output-refused"
        /// 404: the id names nothing.
        case unknownItem = "unknown-item"
        /// 404: there is no next, previous or current item.
        case noSuchContent = "no-such-content"
        // 409: not possible in this state.
        /// A library that does this is not on the machine.
        case libraryMissing = "library-missing"
        case notSeekable = "not-seekable"
        case invalidState = "invalid-state"
        /// Another player decides what it plays.
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
        /// 500: could not be saved, so nothing was changed.
        case notSaved = "not-saved"
        /// 507: likewise, because the disk is full.
        case diskFull = "disk-full"
        case timedOut = "timed-out"
        /// 503: the server is going down.
        case shuttingDown = "shutting-down"
    }

    public var code: Code
    public var message: String
    public var itemID: ItemID?
    /// What of a command is out of range, as clients name it.
    public var member: String?
    /// As of `MediaError`.
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
