// SPDX-License-Identifier: Apache-2.0

internal import Kernel

/// Lyrics, with times if the text has the LRC format: `[mm:ss.xx]line`, possibly with several times before a line,
/// `[offset:ms]`, and times of words, which are left out. Text beyond the limits is left out as well.
struct Lyrics: Hashable {
    struct Line: Hashable {
        /// Seconds.
        var time: Double
        var text: String
    }

    static let mostLines = 20_000
    /// Bytes of all lines together; a repeated line counts each time.
    static let mostText = 1 << 20
    /// Milliseconds.
    private static let offsets = -86_400_000.0...86_400_000

    /// Without times and other brackets of the format.
    private(set) var text: String
    /// Sorted by time; empty for a text without times.
    private(set) var lines: [Line] = []

    init(_ raw: String) {
        var plain: [String] = []
        var (plainBytes, timedBytes) = (0, 0)
        var offset = 0.0
        let all = raw.split(maxSplits: Self.mostLines, omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        for line in all.prefix(Self.mostLines) {
            var rest = line.drop { $0 == " " || $0 == "\u{FEFF}" }
            var times: [Double] = []
            var isInformation = false
            while rest.first == "[", let end = rest.firstIndex(of: "]") {
                let tag = rest[rest.index(after: rest.startIndex)..<end]
                if let time = Self.time(tag) {
                    if lines.count + times.count < Self.mostLines { times.append(time) }
                } else if let colon = tag.firstIndex(of: ":"), tag[..<colon].allSatisfy({ $0.isASCII && $0.isLetter }) {
                    isInformation = true
                    if tag[..<colon].lowercased() == "offset" {
                        let given = Double(tag[tag.index(after: colon)...].filter { $0 != " " && $0 != "+" })
                        offset = given.flatMap { Self.offsets.contains($0) ? $0 / 1000 : nil } ?? 0
                    }
                } else {
                    break
                }
                rest = rest[rest.index(after: end)...]
            }
            if times.isEmpty, isInformation { continue }
            let words = Self.withoutWordTimes(rest)
            let bytes = words.utf8.count + 1
            if plainBytes + bytes <= Self.mostText {
                plainBytes += bytes
                plain.append(words)
            }
            let count = min(times.count, (Self.mostText - timedBytes) / bytes)
            timedBytes += count * bytes
            lines += times.prefix(count).map { Line(time: $0, text: words) }
        }
        // A positive offset makes the lines earlier.
        lines = lines.map { Line(time: max(0, $0.time - offset), text: $0.text) }.sorted { $0.time < $1.time }
        while plain.last == "" { plain.removeLast() }
        while plain.first == "" { plain.removeFirst() }
        text = lines.isEmpty ? plain.joined(separator: "\n") : lines.map(\.text).joined(separator: "\n")
    }

    /// "01:23.45", "1:23", "01:23:45"
    private static func time(_ text: Substring) -> Double? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard (2...3).contains(parts.count), let minutes = Int(parts[0]), (0...6_000).contains(minutes) else {
            return nil
        }
        let seconds = parts[1...].joined(separator: ".")
        guard seconds.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ".") }), let value = Double(seconds), value < 60
        else { return nil }
        return Double(minutes) * 60 + value
    }

    private static func withoutWordTimes(_ line: Substring) -> String {
        var text = ""
        var rest = line
        while let start = rest.firstIndex(of: "<"), let end = rest[start...].firstIndex(of: ">") {
            text += rest[..<start]
            if time(rest[rest.index(after: start)..<end]) == nil { text += rest[start...end] }
            rest = rest[rest.index(after: end)...]
        }
        text += rest
        return String(text.trimmingSpaces)
    }
}
