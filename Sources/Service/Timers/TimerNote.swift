// SPDX-License-Identifier: Apache-2.0

internal import Playback

/// The timers in the saved state of their player. Unreadable parts count as absent.
enum TimerNote {
    private static let note = SavedNote<Saved>(name: "timers")

    private struct Saved: Codable {
        var next: UInt64
        var timers: [Entry]
    }

    /// Only a damaged file has larger numbers, which sums could overflow.
    private static let largest: Int64 = 1 << 53

    /// An unreadable timer does not affect the others.
    private struct Entry: Codable {
        var timer: PlayerTimer?

        init(_ timer: PlayerTimer) { self.timer = timer }

        init(from decoder: any Decoder) {
            do { timer = try PlayerTimer(from: decoder) } catch { timer = nil }
            if timer.map(TimerNote.isInRange) == false { timer = nil }
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
        let last = book.timers.map(\.id.number).max() ?? 0
        book.nextNumber = max(saved.next < largest ? saved.next : 1, last + 1)
        return book
    }

    private static func isInRange(_ timer: PlayerTimer) -> Bool {
        guard timer.id.number < largest, (0..<largest).contains(timer.next ?? 0) else { return false }
        switch timer.kind {
        case .sleep(let sleep):
            return if case .after(let seconds) = sleep.end { (0..<Double(largest)).contains(seconds) } else { true }
        case .alarm(let alarm):
            return (0..<CivilDay.seconds).contains(alarm.recurrence.seconds)
                && (0..<largest).contains(alarm.last?.at ?? 0) && (0..<Double(largest)).contains(alarm.snooze)
        case .start: return true
        }
    }

    private static func saved(_ book: TimerBook) -> Saved {
        Saved(next: book.nextNumber, timers: book.timers.map(Entry.init))
    }
}
