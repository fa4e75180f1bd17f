// SPDX-License-Identifier: Apache-2.0

public import Playback

/// Names a timer of one player; never given again.
public struct TimerID: Hashable, Codable, Sendable, CustomStringConvertible {
    public let number: UInt64

    init(number: UInt64) { self.number = number }

    /// Parses what `description` gives; nil for anything else.
    public init?(_ text: some StringProtocol) {
        guard text.first == "t", let number = UInt64(text.dropFirst(), radix: 36),
            TimerID(number: number).description == text
        else { return nil }
        self.number = number
    }

    public var description: String { "t" + String(number, radix: 36) }
}

/// What a player does by itself at a time.
public struct PlayerTimer: Hashable, Codable, Sendable {
    public enum Kind: Hashable, Codable, Sendable {
        case sleep(SleepTimer)
        case alarm(Alarm)
        case start(ScheduledStart)
    }

    public let id: TimerID
    public var kind: Kind
    /// Milliseconds since the epoch; nil while that is not known, or never.
    public var next: Int64?
}

public struct SleepTimer: Hashable, Codable, Sendable {
    public enum End: Hashable, Codable, Sendable {
        /// Seconds from when it was set.
        case after(Double)
        case endOfItem
        case endOfQueue
    }

    public var end: End
    /// Seconds.
    public var fade: Double

    public init(end: End, fade: Double) {
        self.end = end
        self.fade = fade
    }
}

/// The player begins to play within a few milliseconds of a time.
public struct ScheduledStart: Hashable, Codable, Sendable {
    /// nil: the current one.
    public var item: ItemID?
    /// Seconds.
    public var position: Double?
    /// Milliseconds since the epoch.
    public var at: Int64
    /// The player makes it ready, and counts on by itself. Not saved: the next run hands it over again.
    var isHandedOver = false

    private enum CodingKeys: CodingKey { case item, position, at }
}

public struct Alarm: Hashable, Codable, Sendable {
    public enum State: String, Codable, Sendable { case waiting, ringing, snoozed }

    /// What came of it the last time.
    public struct Outcome: Hashable, Codable, Sendable {
        public enum Result: String, Codable, Sendable {
            case played
            /// Its items could not be heard.
            case fallback
            /// Nor could the fallback.
            case tone
            /// The server was off, or the clock jumped over the time.
            case missed
            /// There was no sound.
            case failed
            /// Another alarm began before it was heard.
            case replaced
        }

        /// Milliseconds since the epoch.
        public var at: Int64
        /// nil while it rings and nothing was heard of it.
        public var result: Result?
    }

    public var recurrence: Recurrence
    /// nil: the machine's.
    public var timeZone: String?
    /// None: the queue as it is.
    public var items: [TimerItem] = []
    public var level = 0.4
    /// Seconds from silence to `level`.
    public var ramp = 30.0
    public var fallback: String?
    /// Seconds.
    public var snooze = 540.0
    /// Id of the device that it sounds on, where that is there; nil: the player's.
    public var output: String?
    public var isEnabled = true
    public internal(set) var state = State.waiting
    public internal(set) var last: Outcome?
    /// The days that it is due and was last due, as `CivilDay` counts them.
    var dueDay: Int?
    var lastDay: Int?
    /// The ids of the items in the queue that it goes on with once it was snoozed.
    var kept: Range<UInt64>?

    public init(_ recurrence: Recurrence) { self.recurrence = recurrence }

    public mutating func apply(_ patch: TimerPatch) {
        // A time that somebody sets is no clock that was set back: it may come on the day of the last one.
        if patch.seconds != nil || patch.days != nil || patch.timeZone != nil { lastDay = nil }
        recurrence.seconds = patch.seconds ?? recurrence.seconds
        recurrence.days = patch.days ?? recurrence.days
        timeZone = patch.timeZone ?? timeZone
        items = patch.items ?? items
        level = patch.level ?? level
        ramp = patch.ramp ?? ramp
        fallback = patch.fallback ?? fallback
        snooze = patch.snooze ?? snooze
        output = patch.output ?? output
        isEnabled = patch.isEnabled ?? isEnabled
    }

    /// It has ended; nothing was heard of it unless it has a result.
    mutating func endUnheard() {
        if let last, last.result == nil { self.last?.result = .failed }
    }
}

/// What an alarm plays; it becomes items of the queue when the alarm goes off.
public enum TimerItem: Hashable, Codable, Sendable {
    case media(ItemDraft)
    /// A folder, a playlist, or something of the library, as a queue's `items` name it.
    case several(member: String, id: String)

    /// As `ByteBudget` counts.
    var bytes: Int {
        switch self {
        case .media(let draft): draft.bytes
        case .several(_, let id): id.utf8.count
        }
    }
}

public enum TimerEdit: Sendable {
    case add(PlayerTimer.Kind)
    case change(TimerID, TimerPatch)
    case remove(TimerID)
    /// `seconds`: nil is the alarm's own.
    case snooze(TimerID, seconds: Double?)
}

/// nil members stay as they are.
public struct TimerPatch: Hashable, Sendable {
    public var end: SleepTimer.End?
    public var fade: Double?
    public var seconds: Int?
    public var days: Set<Weekday>?
    public var timeZone: String??
    public var items: [TimerItem]?
    public var level: Double?
    public var ramp: Double?
    public var fallback: String??
    public var snooze: Double?
    public var output: String??
    public var isEnabled: Bool?
    public var at: Int64?

    public init() {}
}
