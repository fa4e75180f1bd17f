// SPDX-License-Identifier: Apache-2.0

public import Playback
internal import Synchronization
internal import Kernel

/// Announcements and sound effects beside the music of one player: a handle for any thread. Its loop has a thread of
/// its own, which starts with the first request.
public final class Announcer: Sendable {
    public struct Environment: Sendable {
        public var music: any AnnouncedMusic
        public var voices: any VoiceMaking
        public var clock: any PlayerClock
        /// Shared by all announcers of the server.
        public var budget: VoiceBudget
        /// Called when the first announcement begins, and when the last one has ended and the music is restored; on the
        /// announcer's thread.
        public var announcing: @Sendable (Bool) -> Void = { _ in }
        /// Checks whether a waiting sound can be played, so that it is not refused only at its turn. Calls back once,
        /// with the reason if not; must not block. nil: no check.
        public var check: (@Sendable (_ uris: [String], _ done: @escaping @Sendable (PlaybackError?) -> Void) -> Void)?

        public init(
            music: any AnnouncedMusic, voices: any VoiceMaking, clock: any PlayerClock,
            budget: VoiceBudget = VoiceBudget()
        ) {
            self.budget = budget
            self.music = music
            self.voices = voices
            self.clock = clock
        }
    }

    public typealias Reply<Value> = @Sendable (Result<Value, AnnouncerError>) -> Void

    private let board: AnnouncerBoard
    private let loop: LazyLoop<AnnouncerMessage>
    /// The reason for the end.
    private let end = Mutex<AnnouncerEnd?>(nil)

    public init(_ environment: Environment) {
        let board = AnnouncerBoard(AnnouncerShared())
        self.board = board
        loop = LazyLoop("announcer") { AnnouncerLoop(environment, $0, board).run() }
    }

    /// The newest state.
    public var status: AnnouncerStatus { board.value.status }

    /// `observer` is called on the announcer's thread, in order, after the state is readable; it must not block.
    public func observe(_ observer: @escaping @Sendable (AnnouncementChange) -> Void) { board.observe(observer) }

    /// `reply` comes within 1 s: when the sound is heard, waits in line or has failed, else with its present state.
    /// `untilEnd`: at its end.
    public func announce(
        _ request: AnnouncementRequest, untilEnd: Bool = false, reply: @escaping Reply<AnnouncementOutcome>
    ) {
        post(.announce(request, untilEnd: untilEnd, reply))
    }

    /// `reply` comes within 1 s, as above.
    public func play(_ sound: Sound, reply: @escaping Reply<SoundEffect>) {
        post(.play(sound, reply))
    }

    /// Fades out and restores the music.
    public func cancelAnnouncement(_ id: SoundID, reply: @escaping Reply<Void>) {
        post(.cancel(id, .announcement, reply))
    }

    public func cancelEffect(_ id: SoundID, reply: @escaping Reply<Void>) {
        post(.cancel(id, .effect, reply))
    }

    /// The session has changed.
    public func apply(_ rules: SessionRules) {
        // Set first, for a loop that is just starting.
        board.change { shared in
            shared.rules = rules
            return nil
        }
        loop.postIfBegun(.applyRules(rules))
    }

    /// The music's effects have changed.
    public func effectsChanged() { loop.postIfBegun(.effectsChanged) }

    /// Ends all sounds. Returns after at most 0.2 s, when their ends are reported but before they have faded:
    /// `shutdown` waits for the fades. It exists because a player reports nothing after its own end.
    public func endSounds(_ end: AnnouncerEnd = .serverEnds) {
        self.end.withLock { $0 = end }
        let ended = Mailbox<Void>()
        if loop.postIfBegun(.shutdown(end, ended: { ended.post(()) })) {
            _ = ended.take(until: .now.advanced(bySeconds: 0.2))
        }
    }

    /// Ends all sounds and threads; blocks for up to 2 s, then abandons a voice that hangs. The music is not restored,
    /// as its player ends too.
    public func shutdown(_ end: AnnouncerEnd = .serverEnds) {
        self.end.withLock { $0 = end }
        for message in loop.shutdown(.shutdown(end, ended: {}), within: 2) { message.refuse(end.error) }
    }

    private func post(_ message: AnnouncerMessage) {
        if let end = end.withLock({ $0 }) { return message.refuse(end.error) }
        do {
            try loop.post(message)
        } catch {
            switch error {
            case .noThread: message.refuse(.busy("The machine has no threads left."))
            case .ended: message.refuse((end.withLock { $0 } ?? .serverEnds).error)
            }
        }
    }
}

/// Why a request was refused.
public enum AnnouncerError: Error, Hashable, Sendable {
    case unknown(SoundID)
    case unknownOutput(String)
    /// Too many are waiting, or the machine's limits are reached.
    case busy(String)
    case playback(PlaybackError)
    case shuttingDown
    /// The player of the announcements was removed.
    case playerRemoved
}

/// Why an announcer ends.
public enum AnnouncerEnd: Sendable {
    case serverEnds
    case playerRemoved

    var error: AnnouncerError {
        switch self {
        case .serverEnds: .shuttingDown
        case .playerRemoved: .playerRemoved
        }
    }

    /// The result of the sounds in progress. Removing a player cancels its announcements.
    var sounds: SoundEnd {
        switch self {
        case .serverEnds: SoundEnd(.failed, PlaybackError(.shuttingDown, "The server is going down."))
        case .playerRemoved: SoundEnd(.cancelled)
        }
    }
}

/// Sounds in progress and ended ones.
public struct AnnouncerStatus: Sendable {
    /// In the order of arrival.
    public var announcements: [Announcement] = []
    public var effects: [SoundEffect] = []
    /// The last ones, the newest first.
    public var endedAnnouncements: [(announcement: Announcement, end: SoundEnd)] = []
    public var endedEffects: [(effect: SoundEffect, end: SoundEnd)] = []
    /// Since the start of the server, by result.
    public var announcementCounts: [SoundEnd.Reason: UInt64] = [:]
    public var effectCounts: [SoundEnd.Reason: UInt64] = [:]

    public init() {}

    static let history = 16

    mutating func remember(_ announcement: Announcement, _ end: SoundEnd) {
        endedAnnouncements.insert((announcement, end), at: 0)
        if endedAnnouncements.count > Self.history { endedAnnouncements.removeLast() }
        announcementCounts[end.reason, default: 0] += 1
    }

    mutating func remember(_ effect: SoundEffect, _ end: SoundEnd) {
        endedEffects.insert((effect, end), at: 0)
        if endedEffects.count > Self.history { endedEffects.removeLast() }
        effectCounts[end.reason, default: 0] += 1
    }
}
