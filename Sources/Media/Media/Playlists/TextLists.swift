// SPDX-License-Identifier: Apache-2.0

internal import Kernel

/// Line-based lists: M3U and PLS.
enum TextLists {
    /// M3U: one line per entry, optionally preceded by `#EXTINF:seconds,Artist - Title`. A length of -1 marks a stream, and the text
    /// is its name.
    static func m3u(_ text: String) -> MediaList {
        var list = MediaList()
        var next = MediaList.Entry()
        for line in text.split(whereSeparator: \.isNewline).lazy.map({ $0.trimmingSpaces }) where !line.isEmpty {
            if let value = value(of: "#EXTINF:", in: line) {
                describe(&next, value)
            } else if let value = value(of: "#EXTALB:", in: line) {
                next.album = String(value)
            } else if let value = value(of: "#EXTART:", in: line) {
                next.artist = String(value)
            } else if let value = value(of: "#EXTIMG:", in: line) {
                next.picture = String(value)
            } else if !line.hasPrefix("#") {
                next.reference = String(line)
                guard list.append(next) else { break }
                next = MediaList.Entry()
            }
        }
        return list
    }

    private static func value(of name: String, in line: Substring) -> Substring? {
        guard line.prefix(name.count).lowercased() == name.lowercased() else { return nil }
        let value = String(line.dropFirst(name.count)).trimmingSpaces
        return value.isEmpty && name != "#EXTINF:" ? nil : value
    }

    private static func describe(_ entry: inout MediaList.Entry, _ value: Substring) {
        // Attributes before the comma may contain quoted commas.
        var isQuoted = false
        guard
            let comma = value.firstIndex(where: { character in
                if character == "\"" { isQuoted.toggle() }
                return character == "," && !isQuoted
            })
        else { return }
        let text = String(value[value.index(after: comma)...]).trimmingSpaces
        guard !text.isEmpty else { return }
        let isStream = value.hasPrefix("-1")
        if !isStream, let dash = text.firstRange(of: " - "), dash.lowerBound > text.startIndex {
            entry.artist = String(text[..<dash.lowerBound])
            entry.title = String(text[dash.upperBound...])
        } else {
            entry.title = String(text)
        }
    }

    /// PLS: `File1=`, `Title1=`, and `Ref1=` of old Windows Media lists. Ordered by number.
    static func pls(_ text: String) -> MediaList {
        var entries: [Int: MediaList.Entry] = [:]
        for line in text.split(whereSeparator: \.isNewline) {
            guard let equals = line.firstIndex(of: "=") else { continue }
            let name = String(line[..<equals]).trimmingSpaces.lowercased()
            let value = String(line[line.index(after: equals)...]).trimmingSpaces
            for key in ["file", "ref", "title"] where name.hasPrefix(key) {
                guard let number = Int(name.dropFirst(key.count)), !value.isEmpty else { continue }
                var entry = entries[number] ?? MediaList.Entry()
                if key == "title" { entry.title = String(value) } else { entry.reference = String(value) }
                entries[number] = entry
            }
        }
        var list = MediaList()
        for (_, entry) in entries.sorted(by: { $0.key < $1.key }) where !list.append(entry) { break }
        return list
    }
}
