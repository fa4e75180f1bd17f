// SPDX-License-Identifier: Apache-2.0

public import Playback
internal import Synchronization
internal import Threading

/// Announcements and sound effects beside the music: a handle for any thread. Its loop runs on a thread of its own, from the
/// first request on.
public final class Announcer: Sendable {
    public struct Environment: Sendable {
        public var music: any AnnouncedMusic
        public var voices: any VoiceMaking
        public var clock: any PlayerClock

        public init(music: any AnnouncedMusic, voices: any VoiceMaking, clock: any PlayerClock) {
            self.music = music
            self.voices = voices
            self.clock = clock
        }
    }

    public typealias Reply<Value> = @Sendable (Result<Value, AnnouncerError>) -> Void

    private let environment: Environment
    private let board = AnnouncerBoard()
    private let mailbox = Mailbox<AnnouncerMessage>()
    private let state = Mutex(State())

    private struct State {
        var rules = SessionRules()
        var thread: NamedThread?
        var isOver = false
    }

    public init(_ environment: Environment) {
        self.environment = environment
    }

    /// The newest state.
    public var status: AnnouncerStatus { board.status }

    /// `observer` is called from the announcer's thread, in order, after its state is readable; it must not block.
    public func observe(_ observer: @escaping @Sendable (AnnouncementChange) -> Void) { board.observe(observer) }

    /// `reply` comes within 1 s: when it is heard, waits in line or has failed, else as it then is.
    public func announce(_ request: AnnouncementRequest, reply: @escaping Reply<Announcement>) {
        post(.announce(request, reply)) { reply(.failure($0)) }
    }

    /// `reply` as above.
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
    public func obey(_ rules: SessionRules) {
        let isRunning = state.withLock { state in
            state.rules = rules
            return state.thread != nil
        }
        if isRunning { mailbox.post(.obey(rules)) }
    }

    /// Ends all sounds and threads; blocks for up to 1.5 s.
    public func shutdown() {
        let thread = state.withLock { state in
            state.isOver = true
            defer { state.thread = nil }
            return state.thread
        }
        mailbox.post(.shutdown)
        thread?.join()
        for message in mailbox.close() { message.refuse() }
    }

    private func post(_ message: AnnouncerMessage, orElse refuse: (AnnouncerError) -> Void) {
        let isRunning = state.withLock { state in
            guard state.thread == nil, !state.isOver else { return true }
            let (environment, mailbox, board, rules) = (environment, mailbox, board, state.rules)
            state.thread = NamedThread(ifPossible: "announcer") {
                AnnouncerLoop(environment, mailbox, board, rules).run()
            }
            return state.thread != nil
        }
        guard isRunning else { return refuse(.busy("The machine has no threads left.")) }
        if !mailbox.post(message) { refuse(.shuttingDown) }
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

/// What comes to the announcer's thread.
enum AnnouncerMessage: Sendable {
    case announce(AnnouncementRequest, Announcer.Reply<Announcement>)
    case play(Sound, Announcer.Reply<SoundEffect>)
    case cancel(SoundID, VoiceKind, Announcer.Reply<Void>)
    case report(SoundID, VoiceReport)
    case obey(SessionRules)
    case shutdown

    func refuse() {
        switch self {
        case .announce(_, let reply): reply(.failure(.shuttingDown))
        case .play(_, let reply): reply(.failure(.shuttingDown))
        case .cancel(_, _, let reply): reply(.failure(.shuttingDown))
        case .report, .obey, .shutdown: break
        }
    }
}

/// The announcer's state as others read it, and who hears of it.
final class AnnouncerBoard: Sendable {
    private struct State {
        var status = AnnouncerStatus()
        var observer: @Sendable (AnnouncementChange) -> Void = { _ in }
    }

    private let state = Mutex(State())

    var status: AnnouncerStatus { state.withLock { $0.status } }

    func observe(_ observer: @escaping @Sendable (AnnouncementChange) -> Void) {
        state.withLock { $0.observer = observer }
    }

    func publish(_ change: (inout AnnouncerStatus) -> Void) { state.withLock { change(&$0.status) } }

    func tell(_ change: AnnouncementChange) {
        let observer = state.withLock { $0.observer }
        observer(change)
    }
}
