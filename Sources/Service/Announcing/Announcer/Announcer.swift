// SPDX-License-Identifier: Apache-2.0

public import Playback
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
            music: any AnnouncedMusic, voices: any VoiceMaking, clock: any PlayerClock, budget: VoiceBudget
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

    public init(_ environment: Environment) {
        let board = AnnouncerBoard(AnnouncerShared())
        self.board = board
        loop = LazyLoop("announcer") { message, refusal in
            switch refusal {
            case .noThread: message.refuse(.busy(refusal.reason))
            case .ended: message.refuse(.shuttingDown)
            }
        } run: {
            AnnouncerLoop(environment, $0, board).run()
        }
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
        loop.post(.announce(request, untilEnd: untilEnd, reply))
    }

    /// `reply` comes within 1 s, as above.
    public func play(_ sound: Sound, reply: @escaping Reply<SoundEffect>) { loop.post(.play(sound, reply)) }

    /// Ends an announcement or effect: it fades out, and the music is restored.
    public func cancel(_ id: SoundID, _ kind: VoiceKind, reply: @escaping Reply<Void>) {
        loop.post(.cancel(id, kind, reply))
    }

    public func apply(_ rules: SessionRules) {
        // Set first, for a loop that is just starting.
        board.update { $0.rules = rules }
        loop.postIfBegun(.applyRules(rules))
    }

    public func effectsChanged() { loop.postIfBegun(.effectsChanged) }

    /// Ends all sounds. Returns after at most 0.2 s, when their ends are reported but before they have faded:
    /// `shutdown` waits for the fades. It exists because a player reports nothing after its own end.
    public func endSounds() {
        let ended = Mailbox<Void>()
        if loop.end(with: .shutdown(.serverEnds, ended: { ended.post(()) })) {
            _ = ended.take(until: .now.advanced(bySeconds: 0.2))
        }
    }

    /// Ends all sounds and threads; blocks for up to 2 s, then abandons a voice that hangs. The music is not restored,
    /// as its player ends too. `end`: the result of the sounds in progress.
    public func shutdown(_ end: SoundEnd = .serverEnds) { loop.shutdown(.shutdown(end, ended: {}), within: 2) }
}

extension SoundEnd {
    public static let serverEnds = SoundEnd(.failed, PlaybackError(.shuttingDown, "The server is going down."))
    /// Removing a player cancels its announcements.
    static let playerRemoved = SoundEnd(.cancelled)
}

public enum AnnouncerError: Error, Hashable, Sendable {
    case unknown(SoundID)
    case unknownOutput(String)
    /// Too many are waiting, or the machine's limits are reached.
    case busy(String)
    case playback(PlaybackError)
    /// The server is going down, or the player was removed.
    case shuttingDown
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

    private static let history = 16

    mutating func remember(_ announcement: Announcement, _ end: SoundEnd) {
        Self.remember((announcement, end), end, &endedAnnouncements, &announcementCounts)
    }

    mutating func remember(_ effect: SoundEffect, _ end: SoundEnd) {
        Self.remember((effect, end), end, &endedEffects, &effectCounts)
    }

    private static func remember<Entry>(
        _ entry: Entry, _ end: SoundEnd, _ ended: inout [Entry], _ counts: inout [SoundEnd.Reason: UInt64]
    ) {
        ended.insert(entry, at: 0)
        if ended.count > history { ended.removeLast() }
        counts[end.reason, default: 0] += 1
    }
}

/// The state that an announcer and its loop share.
typealias AnnouncerBoard = Published<AnnouncerShared, AnnouncementChange>

struct AnnouncerShared: Sendable {
    var status = AnnouncerStatus()
    /// The newest rules of the session. A running loop also gets each change as a message.
    var rules = SessionRules()
}

/// Messages to the announcer's thread.
enum AnnouncerMessage: Sendable {
    case announce(AnnouncementRequest, untilEnd: Bool, Announcer.Reply<AnnouncementOutcome>)
    case play(Sound, Announcer.Reply<SoundEffect>)
    case cancel(SoundID, VoiceKind, Announcer.Reply<Void>)
    case report(SoundID, VoiceReport)
    /// A more important sound, of any player, takes its voice.
    case displaced(SoundID)
    case applyRules(SessionRules)
    /// The effects of the music.
    case effectsChanged
    /// The result of the check of a waiting sound: its error, or nil.
    case checked(SoundID, PlaybackError?)
    /// The music has confirmed that its interruption has ended.
    case musicIsBack
    /// Ends all sounds with this result; `ended` is called when their ends are reported.
    case shutdown(SoundEnd, ended: @Sendable () -> Void)

    func refuse(_ error: AnnouncerError) {
        switch self {
        case .announce(_, _, let reply): reply(.failure(error))
        case .play(_, let reply): reply(.failure(error))
        case .cancel(_, _, let reply): reply(.failure(error))
        case .report, .displaced, .applyRules, .effectsChanged, .checked, .musicIsBack, .shutdown: break
        }
    }
}
