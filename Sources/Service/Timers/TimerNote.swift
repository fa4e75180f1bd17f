// SPDX-License-Identifier: Apache-2.0

internal import Kernel
internal import Playback

/// The timers in the saved state of their player. What cannot be read is as if it were not there.
enum TimerNote {
    private static let note = SavedNote<Saved>(name: "timers")

    private struct Saved: Codable {
        var next: UInt64
        var timers: [SavedTimer]
    }

    static func text(_ book: TimerBook) -> String { note.text(saved(book)) }
    static func change(_ book: TimerBook) -> SavedChange { note.change(saved(book)) }
    static func text(in notes: [String: String]) -> String? { notes[note.name] }

    static func book(_ text: String) -> TimerBook {
        var book = TimerBook()
        guard let saved = note.value(text) else { return book }
        book.timers = saved.timers.prefix(TimerBook.maximum).compactMap(\.timer)
        book.nextNumber = max(saved.next, (book.timers.map(\.id.number).max() ?? 0) &+ 1)
        return book
    }

    private static func saved(_ book: TimerBook) -> Saved {
        Saved(next: book.nextNumber, timers: book.timers.map(SavedTimer.init))
    }
}

private struct SavedTimer: Codable {
    var id: UInt64
    var type: String
    var next: Int64?
    // Sleep.
    var after: Double?
    var fade: Double?
    // Alarm.
    var seconds: Int?
    var days: [Weekday]?
    var timeZone: String?
    var items: [SavedItem]?
    var level: Double?
    var ramp: Double?
    var fallback: String?
    var snooze: Double?
    var output: String?
    var enabled: Bool?
    var state: String?
    var lastAt: Int64?
    var lastResult: String?
    var dueDay: Int?
    var lastDay: Int?
    var keptFrom: UInt64?
    var keptTo: UInt64?
    // Start.
    var item: String?
    var position: Double?
    var at: Int64?

    init(_ timer: PlayerTimer) {
        id = timer.id.number
        next = timer.next
        switch timer.kind {
        case .sleep(let sleep):
            fade = sleep.fade
            switch sleep.end {
            case .after(let seconds): (type, after) = ("sleep", seconds)
            case .endOfItem: type = "sleep-item"
            case .endOfQueue: type = "sleep-queue"
            }
        case .start(let start):
            type = "start"
            (item, position, at) = (start.item?.description, start.position, start.at)
        case .alarm(let alarm):
            type = "alarm"
            (seconds, days) = (alarm.recurrence.seconds, Weekday.allCases.filter(alarm.recurrence.days.contains))
            (timeZone, items) = (alarm.timeZone, alarm.items.map(SavedItem.init))
            (level, ramp, fallback, snooze) = (alarm.level, alarm.ramp, alarm.fallback, alarm.snooze)
            (output, enabled, state) = (alarm.output, alarm.isEnabled, alarm.state.rawValue)
            (lastAt, lastResult) = (alarm.last?.at, alarm.last?.result?.rawValue)
            (dueDay, lastDay) = (alarm.dueDay, alarm.lastDay)
            (keptFrom, keptTo) = (alarm.kept?.lowerBound, alarm.kept?.upperBound)
        }
    }

    var timer: PlayerTimer? { kind.map { PlayerTimer(id: TimerID(number: id), kind: $0, next: next) } }

    private var kind: PlayerTimer.Kind? {
        switch type {
        case "sleep": return after.map { .sleep(SleepTimer(end: .after($0), fade: fade ?? 0)) }
        case "sleep-item": return .sleep(SleepTimer(end: .endOfItem, fade: fade ?? 0))
        case "sleep-queue": return .sleep(SleepTimer(end: .endOfQueue, fade: fade ?? 0))
        case "start":
            return at.map { .start(ScheduledStart(item: item.flatMap { ItemID($0) }, position: position, at: $0)) }
        case "alarm":
            guard let seconds, (0..<CivilDay.seconds).contains(seconds) else { return nil }
            var alarm = Alarm(
                Recurrence(seconds: seconds, days: Set(days ?? [])), timeZone: timeZone,
                items: (items ?? []).compactMap(\.item), level: level ?? 0.4, ramp: ramp ?? 0, fallback: fallback,
                snooze: snooze ?? 540, output: output, isEnabled: enabled ?? false)
            alarm.state = state.flatMap(Alarm.State.init) ?? .waiting
            if let lastAt {
                alarm.last = Alarm.Outcome(at: lastAt, result: lastResult.flatMap(Alarm.Outcome.Result.init))
            }
            (alarm.dueDay, alarm.lastDay) = (dueDay, lastDay)
            if let keptFrom, let keptTo, keptFrom <= keptTo { alarm.kept = keptFrom..<keptTo }
            return .alarm(alarm)
        default: return nil
        }
    }
}

private struct SavedItem: Codable {
    var uri: String?
    var title: String?
    var artist: String?
    var album: String?
    var artworkURI: String?
    var beginTime: Double?
    var loops: Int?
    var headers: [String: String]?
    var reach: String?
    var member: String?
    var id: String?

    init(_ item: TimerItem) {
        switch item {
        case .several(let member, let id): (self.member, self.id) = (member, id)
        case .media(let draft):
            (uri, title, artist, album) = (draft.uri, draft.title, draft.artist, draft.album)
            (artworkURI, beginTime, loops) = (draft.artworkURI, draft.beginTime, draft.loops)
            (headers, reach) = (draft.headers, draft.reach.rawValue)
        }
    }

    var item: TimerItem? {
        if let member, let id { return .several(member: member, id: id) }
        // A value that makes no sense allows the least.
        let reach = reach.flatMap(NetworkReach.init) ?? .public
        return uri.map {
            .media(
                ItemDraft(
                    uri: $0, title: title, artist: artist, album: album, artworkURI: artworkURI,
                    beginTime: beginTime ?? 0, loops: loops ?? 0, headers: headers ?? [:], reach: reach))
        }
    }
}
