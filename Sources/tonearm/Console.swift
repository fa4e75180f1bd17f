// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Standard output and error, for people at a terminal and scripts behind a pipe; unbuffered between lines.
enum Console {
    static func output(_ text: String) { write(Array((text + "\n").utf8)) }

    /// An answer of the server, as it came.
    static func output(json: [UInt8]) { write(json + [UInt8(ascii: "\n")]) }

    /// A sentence in place of a list in which there is nothing.
    static func output(_ table: Table, orWithoutRows sentence: String) {
        output(table.isEmpty ? sentence : table.text)
    }

    /// Names in it may be anybody's: nothing of them steers the terminal.
    static func complain(_ text: String) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { Table.printable(String($0)) }
        write(Array((lines.joined(separator: "\n") + "\n").utf8), to: STDERR_FILENO)
    }

    static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

    /// Whether standard output goes to systemd's journal, which keeps it (systemd.exec(5), `JOURNAL_STREAM`).
    static var isJournal: Bool {
        var status = stat()
        guard let stream = getenv("JOURNAL_STREAM"), fstat(STDOUT_FILENO, &status) == 0 else { return false }
        return String(cString: stream) == "\(status.st_dev):\(status.st_ino)"
    }

    static var errorIsTerminal: Bool { isatty(STDERR_FILENO) == 1 }

    static func write(_ bytes: [UInt8], to descriptor: Int32 = STDOUT_FILENO) {
        var bytes = bytes[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            // There is nobody left to report it to.
            guard count > 0 else { return }
            bytes = bytes.dropFirst(count)
        }
    }
}
