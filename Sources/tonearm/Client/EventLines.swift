// SPDX-License-Identifier: Apache-2.0

/// Takes the data of Server-Sent Events (HTML Living Standard, section 9.2.6) out of bytes as they come.
struct EventLines {
    private var buffer: [UInt8] = []
    private var data: [UInt8]?

    mutating func feed(_ bytes: [UInt8]) -> [[UInt8]] {
        buffer += bytes
        var events: [[UInt8]] = []
        while let end = buffer.firstIndex(of: 10) {
            var line = buffer[..<end]
            if line.last == 13 { line = line.dropLast() }
            if line.isEmpty {
                if let data { events.append(data) }
                data = nil
            } else if line.starts(with: "data:".utf8) {
                let value = line.dropFirst(line.dropFirst(5).first == 0x20 ? 6 : 5)
                data = data.map { $0 + [10] + value } ?? Array(value)
            }
            buffer.removeFirst(end + 1)
        }
        return events
    }
}
