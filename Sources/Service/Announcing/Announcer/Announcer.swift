// SPDX-License-Identifier: Apache-2.0

public import Playback
internal import Synchronization
internal import Kernel

/// Announcements and sound effects beside the music of one player: a handle for any thread. Its loop runs on a thread of its
/// own, from the first request on.
public final class Announcer: Sendable {
    public struct Environment: Sendable {
        public var music: any AnnouncedMusic
        public var voices: any VoiceMaking
        public var clock: any PlayerClock
        /// Of all announcers of the server.
        public var budget: VoiceBudget
        /// Called when announcements begin to be heard, and when the last one has ended and the music is as it was; from the
        /// announcer's thread.
        public var announcing: @Sendable (Bool) -> Void = { _ in }
        /// Looks whether something can be played, and calls back once, with why not; must not block. Of those that have to
        /// wait, so that they are not refused only when their turn comes. nil: nobody looks.
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
    /// Why it is over.
    private let end = Mutex<AnnouncerEnd?>(nil)

    public init(_ environment: Environment) {
        let board = AnnouncerBoard(AnnouncerShared())
        self.board = board
        loop = LazyLoop("announcer") { AnnouncerLoop(environment, $0, board).run() }
    }

    /// The newest state.
    public var status: AnnouncerStatus { board.value.status }

    /// `observer` is called from the announcer's thread, in order, after its state is readable; it must not block.
    public func observe(_ observer: @escaping @Sendable (AnnouncementChange) -> Void) { board.observe(observer) }

    /// `reply` comes within 1 s: when it is heard, waits in line or has failed, else as it then is. `untilEnd`: when it has
    /// ended.
    public func announce(
        _ request: AnnouncementRequest, untilEnd: Bool = false, reply: @escaping Reply<AnnouncementOutcome>
    ) {
        post(.announce(request, untilEnd: untilEnd, reply)) { reply(.failure($0)) }
    }

    /// `reply` comes within 1 s, as above.
    public func play(_ sound: Sound, reply: @escaping Reply<SoundEffect>) {
        post(.play(sound, reply)) { reply(.failure($0)) }
    }

    /// Fades out and gives the music back.
    public func cancelAnnouncement(_ id: SoundID, reply: @escaping Reply<Void>) {
        post(.cancel(id, .announcement, reply)) { reply(.failure($0)) }
    }

    public func cancelEffect(_ id: SoundID, reply: @escaping Reply<Void>) {
        post(.cancel(id, .effect, reply)) { reply(.failure($0)) }
    }

    /// The session has changed.
    public func apply(_ rules: SessionRules) {
        // First, for a loop that begins just now.
        board.change { shared in
            shared.rules = rules
            return nil
        }
        loop.postIfBegun(.applyRules(rules))
    }

    /// Those of the music have changed.
    public func effectsChanged() { loop.postIfBegun(.effectsChanged) }

    /// Ends all sounds. Returns when that is reported, 0.2 s at most, and before they have faded: `shutdown` waits for that.
    /// It exists because a player that is down reports nothing any more.
    public func endSounds(_ end: AnnouncerEnd = .serverEnds) {
        self.end.withLock { $0 = end }
        let ended = Mailbox<Void>()
        if loop.postIfBegun(.shutdown(end, ended: { ended.post(()) })) {
            _ = ended.take(until: .now.advanced(bySeconds: 0.2))
        }
    }

    /// Ends all sounds and threads; blocks for up to 2 s: a voice that hangs longer is left behind. The music stays as it is,
    /// silent perhaps: its player ends as well.
    public func shutdown(_ end: AnnouncerEnd = .serverEnds) {
        self.end.withLock { $0 = end }
        for message in loop.shutdown(.shutdown(end, ended: {}), within: 2) { message.refuse(end.error) }
    }

    private func post(_ message: AnnouncerMessage, orElse refuse: (AnnouncerError) -> Void) {
        if let end = end.withLock({ $0 }) { return refuse(end.error) }
        do {
            try loop.post(message)
        } catch {
            switch error {
            case .noThread: refuse(.busy("The machine has no threads left."))
            case .ended: refuse((end.withLock { $0 } ?? .serverEnds).error)
            }
        }
    }
}

/// Why a request was refused.
public enum AnnouncerError: Error, Hashable, Sendable {
    case unknown(SoundID)
    case unknownOutput(String)
    /// Too many wait, or the machine cannot do more.
    case busy(String)
    case playback(PlaybackError)
    case shuttingDown
    /// The player whose announcements they were.
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

    /// Of what was under way. Who removes a player ends what it announces.
    var sounds: SoundEnd {
        switch self {
        case .serverEnds: SoundEnd(.failed, PlaybackError(.shuttingDown, "The server is going down."))
        case .playerRemoved: SoundEnd(.cancelled)
        }
    }
}

/// What is under way, and what has ended.
public struct AnnouncerStatus: Sendable {
    /// In the order in which they came.
    public var announcements: [Announcement] = []
    public var effects: [SoundEffect] = []
    /// The last ones, the newest first.
    public var endedAnnouncements: [(announcement: Announcement, end: SoundEnd)] = []
    public var endedEffects: [(effect: SoundEffect, end: SoundEnd)] = []
    /// Since the start of the server, by how they ended.
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
