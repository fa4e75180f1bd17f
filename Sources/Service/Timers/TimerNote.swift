// SPDX-License-Identifier: Apache-2.0

internal import Kernel
internal import Playback

/// The timers in the saved state of their player. What cannot be read is as if it were not there.
enum TimerNote {
    private static let note = SavedNote<Saved>(name: "timers")

    private struct Saved: Codable {
        var next: UInt64
        var timers: [PlayerTimer]
    }

    static func text(_ book: TimerBook) -> String { note.text(saved(book)) }
    static func change(_ book: TimerBook) -> SavedChange { note.change(saved(book)) }
    static func text(in notes: [String: String]) -> String? { notes[note.name] }

    static func book(_ text: String) -> TimerBook {
        var book = TimerBook()
        guard let saved = note.value(text) else { return book }
        book.timers = Array(saved.timers.prefix(TimerBook.maximum))
        book.nextNumber = max(saved.next, (book.timers.map(\.id.number).max() ?? 0) &+ 1)
        return book
    }

    private static func saved(_ book: TimerBook) -> Saved { Saved(next: book.nextNumber, timers: book.timers) }
}
