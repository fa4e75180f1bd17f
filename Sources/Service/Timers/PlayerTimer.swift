// SPDX-License-Identifier: Apache-2.0

internal import Kernel
public import Playback

/// Id of a timer, unique among all players; never reused.
public struct TimerID: Hashable, Codable, Sendable, CustomStringConvertible {
    public let number: UInt64

    init(number: UInt64) { self.number = number }

    /// Parses a `description`; nil for any other text.
    public init?(_ text: some StringProtocol) {
        guard text.first == "t", let number = UInt64(text.dropFirst(), radix: 36),
            TimerID(number: number).description == text
        else { return nil }
        self.number = number
    }

    public var description: String { "t" + String(number, radix: 36) }
}

/// A timed action of a player.
public struct PlayerTimer: Hashable, Codable, Sendable {
    public enum Kind: Hashable, Codable, Sendable {
        case sleep(SleepTimer)
        case alarm(Alarm)
        case start(ScheduledStart)
    }

    public let id: TimerID
    public var kind: Kind
    /// Milliseconds since the epoch; nil while unknown, or if the timer is off.
    public var next: Int64?

    /// nil for another kind.
    var alarm: Alarm? {
        get { if case .alarm(let alarm) = kind { alarm } else { nil } }
        set { if let newValue { kind = .alarm(newValue) } }
    }

    /// A follower's sleep timer and start belong to its leader, which plays the music of the group.
    public var concernsGroup: Bool { isSleep || isStart }
    /// The leader's followers list it, too: it is the group's, or it sounds on all players of the group.
    public var isListedByFollowers: Bool { concernsGroup || alarm?.state == .ringing }
    /// Its time follows the monotonic clock.
    var hasDuration: Bool { isSleep || alarm?.state == .snoozed || isHandedOver }
    var isSleep: Bool { if case .sleep = kind { true } else { false } }
    var isStart: Bool { if case .start = kind { true } else { false } }
    /// The player has this start.
    var isHandedOver: Bool { if case .start(let start) = kind { start.handedOver != nil } else { false } }
}

public struct SleepTimer: Hashable, Codable, Sendable {
    public enum End: Hashable, Codable, Sendable {
        /// Seconds after the timer was set.
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

/// The player starts within a few milliseconds of a time.
public struct ScheduledStart: Hashable, Codable, Sendable {
    /// nil: the current one.
    public var item: ItemID?
    /// Seconds.
    public var position: Double?
    /// Milliseconds since the epoch.
    public var at: Int64
    /// The start time, once the player loads the item and starts by itself. Not saved: after a restart the start is handed over again.
    var handedOver: MonotonicTime?

    private enum CodingKeys: CodingKey { case item, position, at }
}

public struct Alarm: Hashable, Codable, Sendable {
    public enum State: String, Codable, Sendable { case waiting, ringing, snoozed }

    /// The result of the last time.
    public struct Outcome: Hashable, Codable, Sendable {
        public enum Result: String, Codable, Sendable {
            case played
            /// The items could not be played.
            case fallback
            /// Neither the items nor the fallback could be played.
            case tone
            /// The server was off, or the clock jumped over the time.
            case missed
            /// Nothing was heard.
            case failed
            /// Another alarm went off before this one was heard.
            case replaced
        }

        /// Milliseconds since the epoch.
        public var at: Int64
        /// nil while the alarm goes off and has not been heard.
        public var result: Result?
    }

    public var recurrence: Recurrence
    /// nil: the machine's.
    public var timeZone: String?
    /// Empty: the present queue.
    public var items: [TimerItem] = []
    public var level = 0.4
    /// Seconds from silence to `level`.
    public var ramp = 30.0
    public var fallback: String?
    /// Seconds.
    public var snooze = 540.0
    /// Id of the device to use if it is available; nil: the player's.
    public var output: String?
    public var isEnabled = true
    public internal(set) var state = State.waiting
    public internal(set) var last: Outcome?
    /// The days of the next and of the last time, as in `CivilDay`.
    var dueDay: Int?
    var lastDay: Int?
    /// Ids of the items in the queue that play again after the snooze.
    var kept: Range<UInt64>?

    public init(_ recurrence: Recurrence) { self.recurrence = recurrence }

    public mutating func apply(_ patch: TimerPatch) {
        // A newly set time may be on the day of the last one, unlike a time that a changed clock repeats.
        if patch.changesTime { lastDay = nil }
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

    /// The alarm no longer goes off. Without a result, it was not heard.
    mutating func end() {
        state = .waiting
        if let last, last.result == nil { self.last?.result = .failed }
    }
}

/// An entry of an alarm's items, which becomes items of the queue when the alarm goes off.
public enum TimerItem: Hashable, Codable, Sendable {
    case media(ItemDraft)
    /// A list, folder, playlist or library entry, named by this member of a queue's `items`. Only a list has headers.
    case several(member: String, id: String, headers: [String: String]? = nil)

    /// As counted by `ByteBudget`.
    var bytes: Int {
        switch self {
        case .media(let draft): draft.bytes
        case .several(_, let id, let headers):
            (headers ?? [:]).reduce(id.utf8.count) { $0 + $1.key.utf8.count + $1.value.utf8.count }
        }
    }
}

public enum TimerEdit: Sendable {
    case add(PlayerTimer.Kind)
    case change(TimerID, TimerPatch)
    case remove(TimerID)
    /// `seconds`: nil takes the alarm's `snooze`.
    case snooze(TimerID, seconds: Double?)

    /// The alarm that this removes or turns off.
    var silenced: TimerID? {
        switch self {
        case .remove(let id): id
        case .change(let id, let patch) where patch.isEnabled == false: id
        case .add, .change, .snooze: nil
        }
    }
}

/// nil leaves a member unchanged.
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

    /// The alarm's next time must be computed again.
    var changesTime: Bool { seconds != nil || days != nil || timeZone != nil }
}
