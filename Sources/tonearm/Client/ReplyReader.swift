// SPDX-License-Identifier: Apache-2.0

/// Parses one HTTP/1.1 response (RFC 9112) as its bytes arrive: a pure value.
struct ReplyReader {
    enum Invalid: Error, Hashable {
        case notHTTP
        case tooLarge
        case truncated
    }

    private enum State {
        case head
        case counted(Int)
        case untilClose
        case chunkSize
        case chunk(Int)
        case chunkEnd
        case trailer
        case over
    }

    /// Bytes of a head or a line.
    private static let lineLimit = 65_536

    /// nil until the head has arrived.
    private(set) var status: Int?
    private var state = State.head
    private var buffer: [UInt8] = []

    var isOver: Bool { if case .over = state { true } else { false } }

    /// Returns the part of the body that `bytes` holds.
    mutating func feed(_ bytes: [UInt8]) throws(Invalid) -> [UInt8] {
        buffer += bytes
        var body: [UInt8] = []
        while try step(into: &body) {}
        return body
    }

    /// The connection was closed.
    mutating func close() throws(Invalid) {
        switch state {
        case .untilClose, .over: state = .over
        case .head, .counted, .chunkSize, .chunk, .chunkEnd, .trailer: throw .truncated
        }
    }

    /// False when more bytes are needed.
    private mutating func step(into body: inout [UInt8]) throws(Invalid) -> Bool {
        switch state {
        case .head:
            guard let lines = try takeHead() else { return false }
            try readHead(lines)
        case .counted(let left):
            guard !buffer.isEmpty else { return false }
            let count = take(left, into: &body)
            state = count == left ? .over : .counted(left - count)
        case .untilClose:
            body += buffer
            buffer = []
            return false
        case .chunkSize:
            guard let line = try takeLine() else { return false }
            guard let size = Int(line.prefix { $0 != ";" && $0 != " " }, radix: 16), size >= 0 else { throw .notHTTP }
            state = size == 0 ? .trailer : .chunk(size)
        case .chunk(let left):
            guard !buffer.isEmpty else { return false }
            let count = take(left, into: &body)
            state = count == left ? .chunkEnd : .chunk(left - count)
        case .chunkEnd:
            guard let line = try takeLine() else { return false }
            guard line.isEmpty else { throw .notHTTP }
            state = .chunkSize
        case .trailer:
            guard let line = try takeLine() else { return false }
            if line.isEmpty { state = .over }
        case .over: return false
        }
        return true
    }

    private mutating func readHead(_ lines: [String]) throws(Invalid) {
        let words = (lines.first ?? "").split(separator: " ", maxSplits: 2)
        guard words.count >= 2, words[0].hasPrefix("HTTP/1."), let status = Int(words[1]) else { throw .notHTTP }
        var fields: [String: String] = [:]
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else { throw .notHTTP }
            fields[parts[0].lowercased()] = String(parts[1].drop { $0 == " " })
        }
        // An interim response; the final one follows.
        if status < 200 { return }
        self.status = status
        if status == 204 || status == 304 {
            state = .over
        } else if fields["transfer-encoding"]?.lowercased() == "chunked" {
            state = .chunkSize
        } else if let text = fields["content-length"] {
            guard let length = Int(text), length >= 0 else { throw .notHTTP }
            state = length == 0 ? .over : .counted(length)
        } else {
            state = .untilClose
        }
    }

    private mutating func takeHead() throws(Invalid) -> [String]? {
        guard let end = buffer.firstRange(of: [13, 10, 13, 10]) else {
            guard buffer.count <= Self.lineLimit else { throw .tooLarge }
            guard buffer.starts(with: "HTTP/".utf8.prefix(buffer.count)) else { throw .notHTTP }
            return nil
        }
        let text = String(decoding: buffer[..<end.lowerBound], as: UTF8.self)
        buffer.removeSubrange(..<end.upperBound)
        return text.split(separator: "\r\n", omittingEmptySubsequences: false).map(String.init)
    }

    private mutating func takeLine() throws(Invalid) -> String? {
        if let line = buffer.removeLine() { return String(decoding: line, as: UTF8.self) }
        guard buffer.count <= Self.lineLimit else { throw .tooLarge }
        return nil
    }

    private mutating func take(_ limit: Int, into body: inout [UInt8]) -> Int {
        let count = min(limit, buffer.count)
        body += buffer.prefix(count)
        buffer.removeFirst(count)
        return count
    }
}

/// Extracts the data of Server-Sent Events (HTML Living Standard, section 9.2.6) from bytes as they arrive.
struct EventLines {
    private var buffer: [UInt8] = []
    private var data: [UInt8]?

    mutating func feed(_ bytes: [UInt8]) -> [[UInt8]] {
        buffer += bytes
        var events: [[UInt8]] = []
        while let line = buffer.removeLine() {
            if line.isEmpty {
                if let data { events.append(data) }
                data = nil
            } else if line.starts(with: "data:".utf8) {
                let value = line.dropFirst(line.dropFirst(5).first == 0x20 ? 6 : 5)
                data = data.map { $0 + [10] + value } ?? Array(value)
            }
        }
        return events
    }
}

extension [UInt8] {
    /// Removes and returns the first line, without its end; nil if it is incomplete.
    fileprivate mutating func removeLine() -> ArraySlice<UInt8>? {
        guard let end = firstIndex(of: 10) else { return nil }
        let line = self[..<end]
        removeFirst(end + 1)
        return line.last == 13 ? line.dropLast() : line
    }
}
