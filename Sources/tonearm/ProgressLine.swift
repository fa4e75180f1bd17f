// SPDX-License-Identifier: Apache-2.0

import Kernel

/// One line on standard error that is written anew again and again; nothing when that is not a terminal.
struct ProgressLine {
    let isShown = Console.errorIsTerminal

    func show(_ text: String) {
        if isShown { Console.write(Array("\r\u{1B}[K\(text)".utf8), to: 2) }
    }

    /// The next output begins a line of its own.
    func clear() { show("") }
}

/// Counts up how much of a media is decoded.
struct DecodeProgress {
    /// Seconds of sound; nil when not known.
    private let total: Double?
    private let line = ProgressLine()
    private let began = MonotonicTime.now
    private var shownAt = MonotonicTime.now
    private var done = 0.0

    init(total: Double?) { self.total = total }

    /// So many seconds are decoded by now.
    mutating func reach(_ seconds: Double) { advance(seconds - done) }

    mutating func advance(_ seconds: Double) {
        guard line.isShown else { return }
        done += seconds
        let now = MonotonicTime.now
        guard now.seconds(since: shownAt) >= 0.1 else { return }
        shownAt = now
        line.show(total.map { "\(TimeText.text(done)) of \(TimeText.text($0))" } ?? TimeText.text(done))
    }

    /// Prints how fast it was.
    func end() {
        guard line.isShown else { return }
        let speed = Int(clamping: done / max(0.001, MonotonicTime.now.seconds(since: began)))
        line.show("\(TimeText.text(done)), \(speed) times faster than it plays")
        Console.complain("")
    }

    func clear() { line.clear() }
}
