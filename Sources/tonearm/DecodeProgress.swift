// SPDX-License-Identifier: Apache-2.0

import Threading

/// One line on standard error that counts up; nothing when that is not a terminal.
struct RenderProgress {
    /// Seconds of sound; nil when not known.
    private let total: Double?
    private let isShown = Console.errorIsTerminal
    private let began = MonotonicTime.now
    private var shownAt = MonotonicTime.now
    private var done = 0.0

    init(total: Double?) {
        self.total = total
    }

    mutating func advance(_ seconds: Double) {
        guard isShown else { return }
        done += seconds
        let now = MonotonicTime.now
        guard now.seconds(since: shownAt) >= 0.1 else { return }
        shownAt = now
        show(total.map { "\(TimeText.text(done)) of \(TimeText.text($0))" } ?? TimeText.text(done))
    }

    func end() {
        guard isShown else { return }
        let speed = Int(done / max(0.001, MonotonicTime.now.seconds(since: began)))
        show("\(TimeText.text(done)), \(speed) times faster than it plays")
        Console.complain("")
    }

    private func show(_ text: String) {
        Console.write(Array("\r\u{1B}[K\(text)".utf8), to: 2)
    }
}
