// SPDX-License-Identifier: Apache-2.0

internal import Kernel
internal import Playback

/// The timers in the saved state of their player. Unreadable parts count as absent.
enum TimerNote {
    private static let note = SavedNote<Saved>(name: "timers")

    private struct Saved: Codable {
        var next: UInt64
        var timers: [Entry]
    }

    /// An unreadable timer does not affect the others.
    private struct Entry: Codable {
        var timer: PlayerTimer?

        init(_ timer: PlayerTimer) { self.timer = timer }

        init(from decoder: any Decoder) {
            do {
                timer = try PlayerTimer(from: decoder)
            } catch {
                do { timer = try FormerTimer(from: decoder).timer } catch { timer = nil }
            }
            guard case .alarm(let alarm)? = timer?.kind else { return }
            if !(0..<CivilDay.seconds).contains(alarm.recurrence.seconds) { timer = nil }
        }

        func encode(to encoder: any Encoder) throws { try timer?.encode(to: encoder) }
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
        Saved(next: book.nextNumber, timers: book.timers.map(Entry.init))
    }
}

/// The first format of saved timers, with all members in one object.
private struct FormerTimer: Decodable {
    struct Item: Decodable {
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

        var item: TimerItem? {
            if let member, let id { return .several(member: member, id: id) }
            // An invalid value means the smallest reach.
            let reach = reach.flatMap(NetworkReach.init) ?? .public
            return uri.map {
                .media(
                    ItemDraft(
                        uri: $0, title: title, artist: artist, album: album, artworkURI: artworkURI,
                        beginTime: beginTime ?? 0, loops: loops ?? 0, headers: headers ?? [:], reach: reach))
            }
        }
    }

    var id: UInt64
    var type: String
    var next: Int64?
    var after: Double?
    var fade: Double?
    var seconds: Int?
    var days: [Weekday]?
    var timeZone: String?
    var items: [Item]?
    var level: Double?
    var ramp: Double?
    var fallback: String?
    var snooze: Double?
    var output: String?
    var enabled: Bool?
    var dueDay: Int?
    var lastDay: Int?
    var item: String?
    var position: Double?
    var at: Int64?

    var timer: PlayerTimer? { kind.map { PlayerTimer(id: TimerID(number: id), kind: $0, next: next) } }

    private var kind: PlayerTimer.Kind? {
        switch type {
        case "sleep": return after.map { .sleep(SleepTimer(end: .after($0), fade: fade ?? 0)) }
        case "sleep-item": return .sleep(SleepTimer(end: .endOfItem, fade: fade ?? 0))
        case "sleep-queue": return .sleep(SleepTimer(end: .endOfQueue, fade: fade ?? 0))
        case "start":
            return at.map { .start(ScheduledStart(item: item.flatMap { ItemID($0) }, position: position, at: $0)) }
        case "alarm":
            guard let seconds else { return nil }
            var alarm = Alarm(Recurrence(seconds: seconds, days: Set(days ?? [])))
            (alarm.timeZone, alarm.items) = (timeZone, (items ?? []).compactMap(\.item))
            (alarm.level, alarm.ramp, alarm.snooze) = (level ?? 0.4, ramp ?? 0, snooze ?? 540)
            (alarm.fallback, alarm.output, alarm.isEnabled) = (fallback, output, enabled ?? false)
            (alarm.dueDay, alarm.lastDay) = (dueDay, lastDay)
            return .alarm(alarm)
        default: return nil
        }
    }
}
