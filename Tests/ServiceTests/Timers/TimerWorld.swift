// SPDX-License-Identifier: Apache-2.0

import Kernel
import Playback

@testable import Service

/// The timers of one player, with both clocks moved by hand. They start at 06:00 in Berlin.
struct TimerWorld {
    typealias Effect = TimerBook.Effect

    /// 1 July 2026, a Wednesday, 05:00 UTC: 07:00 in Berlin.
    static let seven: Int64 = 1_782_882_000_000
    static let day: Int64 = 86_400_000
    static let berlin = ZoneRules(changes: [], first: 0, rest: ZoneRule("CET-1CEST,M3.5.0,M10.5.0/3"))

    var book = TimerBook()
    var moment = TimerMoment(wall: seven - 3_600_000, monotonic: MonotonicTime(nanoseconds: 1_000_000_000))

    init() { setZone() }

    private mutating func setZone() {
        book.zone = { name in name == nil || name == "Europe/Berlin" ? Self.berlin : nil }
    }

    /// The first timer.
    var alarm: Alarm? { book.timers.first?.alarm }
    var next: Int64? { book.timers.first?.next }

    static func alarm(_ days: Set<Weekday> = [], fallback: String? = nil) -> PlayerTimer.Kind {
        var alarm = Alarm(Recurrence(seconds: 7 * 3_600, days: days))
        (alarm.items, alarm.fallback) = ([.media(ItemDraft(uri: "a.mp3"))], fallback)
        return .alarm(alarm)
    }

    static func stage(_ effects: [Effect]) -> AlarmRing.Stage? {
        effects.compactMap { if case .sound(_, _, let stage) = $0 { stage } else { nil } }.last
    }

    // MARK: Time

    mutating func pass(_ seconds: Double) {
        moment.wall += Int64((seconds * 1_000).rounded())
        moment.monotonic = moment.monotonic.advanced(bySeconds: seconds)
    }

    mutating func advance() -> [Effect] { book.advance(moment) }

    /// The stage of the alarm that goes off now.
    mutating func advancedStage() -> AlarmRing.Stage? { Self.stage(advance()) }

    mutating func setClock(by milliseconds: Int64) -> [Effect] {
        moment.wall += milliseconds
        return book.clockWasSet(by: milliseconds, moment)
    }

    /// The server ends and starts again after this number of seconds.
    mutating func restart(after seconds: Double = 0) -> [Effect] {
        book = TimerNote.book(TimerNote.text(book))
        setZone()
        pass(seconds)
        return book.resume(moment)
    }

    // MARK: Edits

    @discardableResult
    mutating func add(_ kind: PlayerTimer.Kind = TimerWorld.alarm()) throws -> (id: TimerID, effects: [Effect]) {
        try book.apply(.add(kind), moment)
    }

    /// Adds an alarm, and waits until it goes off.
    mutating func ring(_ kind: PlayerTimer.Kind = TimerWorld.alarm()) throws -> TimerID {
        let id = try add(kind).id
        pass(3_600)
        _ = advance()
        return id
    }

    mutating func snooze(_ id: TimerID, seconds: Double? = nil) throws -> [Effect] {
        try book.apply(.snooze(id, seconds: seconds), moment).1
    }

    // MARK: Reports

    mutating func report(_ report: TimerReport) -> [Effect] { book.report(report, moment) }

    /// The player performs the command of this stage.
    mutating func perform(
        _ id: TimerID, _ stage: AlarmRing.Stage, _ status: PlayerStatus = .playing, wantsSound: Bool = true,
        items: Range<UInt64>? = nil, revision: QueueRevision = 0, nextItemNumber: UInt64? = nil
    ) -> [Effect] {
        var snapshot = PlayerSnapshot()
        (snapshot.status, snapshot.playWhenReady) = (status, wantsSound)
        (snapshot.insertedItems, snapshot.queueRevision) = (items, revision)
        if let nextItemNumber { snapshot.nextItemNumber = nextItemNumber }
        return report(.taken(id, stage, .success(snapshot)))
    }

    mutating func refuse(_ id: TimerID, _ stage: AlarmRing.Stage, _ code: PlaybackError.Code) -> [Effect] {
        report(.taken(id, stage, .failure(PlaybackError(code, "It cannot be played."))))
    }
}
