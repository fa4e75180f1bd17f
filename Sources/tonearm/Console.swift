// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Standard output and error, for people at a terminal and scripts behind a pipe; unbuffered between lines.
enum Console {
    static func output(_ text: String) { write(Array((text + "\n").utf8)) }

    /// An unchanged answer of the server.
    static func output(json: [UInt8]) { write(json + [UInt8(ascii: "\n")]) }

    /// Prints the sentence instead of an empty table.
    static func output(_ table: Table, orWithoutRows sentence: String) {
        output(table.isEmpty ? sentence : table.text)
    }

    /// Writes to standard error. Names in the text must not control the terminal.
    static func complain(_ text: String) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { Table.printable(String($0)) }
        write(Array((lines.joined(separator: "\n") + "\n").utf8), to: STDERR_FILENO)
    }

    static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

    /// Standard output goes to systemd's journal, which keeps it (systemd.exec(5), `JOURNAL_STREAM`).
    static var isJournal: Bool {
        var status = stat()
        guard let stream = getenv("JOURNAL_STREAM"), fstat(STDOUT_FILENO, &status) == 0 else { return false }
        return String(cString: stream) == "\(status.st_dev):\(status.st_ino)"
    }

    static var errorIsTerminal: Bool { isatty(STDERR_FILENO) == 1 }

    /// Returns false, with `errno`, if not everything was written.
    @discardableResult
    static func write(_ bytes: [UInt8], to descriptor: Int32 = STDOUT_FILENO) -> Bool {
        var bytes = bytes[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            bytes = bytes.dropFirst(count)
        }
        return true
    }
}
