// SPDX-License-Identifier: Apache-2.0

/// One line on standard error that is written anew again and again; nothing when that is not a terminal.
struct ProgressLine {
    let isShown = Console.errorIsTerminal

    func show(_ text: String) {
        if isShown { Console.write(Array("\r\u{1B}[K\(text)".utf8), to: 2) }
    }

    /// The next output begins a line of its own.
    func clear() { show("") }
}
