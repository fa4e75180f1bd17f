// SPDX-License-Identifier: Apache-2.0

import Kernel

/// A line on standard error that overwrites itself; nothing if standard error is not a terminal.
struct ProgressLine {
    let isShown = Console.errorIsTerminal

    func show(_ text: String) {
        if isShown { Console.write(Array("\r\u{1B}[K\(text)".utf8), to: 2) }
    }

    /// Erases the line, so that the next output begins a new one.
    func clear() { show("") }
}

/// Shows how much of a file is decoded.
struct DecodeProgress {
    /// Seconds; nil if unknown.
    private let total: Double?
    private let line = ProgressLine()
    private let began = MonotonicTime.now
    private var shownAt = MonotonicTime.now
    private var done = 0.0

    init(total: Double?) { self.total = total }

    /// `seconds` are decoded in total.
    mutating func reach(_ seconds: Double) { advance(seconds - done) }

    mutating func advance(_ seconds: Double) {
        guard line.isShown else { return }
        done += seconds
        let now = MonotonicTime.now
        guard now.seconds(since: shownAt) >= 0.1 else { return }
        shownAt = now
        line.show(total.map { "\(TimeText.text(done)) of \(TimeText.text($0))" } ?? TimeText.text(done))
    }

    /// Prints the speed.
    func end() {
        guard line.isShown else { return }
        let speed = Int(clamping: done / max(0.001, MonotonicTime.now.seconds(since: began)))
        line.show("\(TimeText.text(done)), \(speed) times faster than it plays")
        Console.complain("")
    }

    func clear() { line.clear() }
}
