// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc

/// The offsets of one time zone, as in a TZif file (RFC 9636): a list of changes, and a rule for later times.
///
/// Times are seconds since 1970-01-01 00:00: `time` in UTC, `local` on a clock of the zone.
struct ZoneRules: Hashable, Sendable {
    struct Change: Hashable, Sendable {
        var time: Int
        /// Seconds east of UTC after the change.
        var offset: Int
    }

    static let utc = ZoneRules(changes: [], first: 0, rest: nil)

    /// By time.
    var changes: [Change]
    /// The offset before the first change.
    var first: Int
    /// The rule after the last change; nil: its offset stays.
    var rest: ZoneRule?

    func offset(at time: Int) -> Int {
        if let last = changes.last, time < last.time {
            return changes.prefix { $0.time <= time }.last?.offset ?? first
        }
        return rest?.offset(at: time) ?? changes.last?.offset ?? first
    }

    /// The time at which clocks show `local`: the first one if they show it twice, the time of the change if they skip
    /// it.
    func time(of local: Int) -> Int {
        let (before, after) = (offset(at: local - CivilDay.seconds), offset(at: local + CivilDay.seconds))
        let fitting = [local - before, local - after].filter { $0 + offset(at: $0) == local }
        if let time = fitting.min() { return time }
        // Finds the change between the two by bisection.
        var (low, high) = (local - CivilDay.seconds, local + CivilDay.seconds)
        while high - low > 1 {
            let middle = low + (high - low) / 2
            if offset(at: middle) == before { low = middle } else { high = middle }
        }
        return high
    }
}

/// The machine's time zones. Read from disk each time, as the files and the machine's zone may change while the server
/// runs.
enum ZoneFile {
    static let directory = "/usr/share/zoneinfo"
    private static let largest = 262_144

    /// nil for an unknown zone.
    static func zone(named name: String) -> ZoneRules? {
        let isName =
            (1...64).contains(name.utf8.count)
            && name.split(separator: "/", omittingEmptySubsequences: false).allSatisfy { part in
                part.first.map { $0.isASCII && $0.isLetter } ?? false
                    && part.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "_+-".contains($0)) }
            }
        guard isName else { return nil }
        return read("\(directory)/\(name)") ?? (["UTC", "Etc/UTC"].contains(name) ? .utc : nil)
    }

    /// The machine's zone; UTC if it has none.
    static var local: ZoneRules {
        if let variable = getenv("TZ") {
            let text = String(cString: variable)
            let name = text.hasPrefix(":") ? String(text.dropFirst()) : text
            if name.isEmpty { return .utc }
            return zone(named: name) ?? (name.hasPrefix("/") ? read(name) : nil)
                ?? ZoneRule(name).map { ZoneRules(changes: [], first: 0, rest: $0) } ?? .utc
        }
        return read("/etc/localtime") ?? .utc
    }

    private static func read(_ path: String) -> ZoneRules? {
        do {
            let bytes = try Data(contentsOf: URL(filePath: path))
            return bytes.count <= largest ? ZoneRules(file: [UInt8](bytes)) : nil
        } catch {
            return nil
        }
    }
}

extension ZoneRules {
    /// nil for an invalid TZif file, or one that counts leap seconds, which the system's clock does not.
    init?(file: [UInt8]) {
        var reader = FileReader(bytes: file[...])
        guard var header = reader.header() else { return nil }
        if header.version >= UInt8(ascii: "2") {
            reader.skip(header.length(timeSize: 4))
            guard let second = reader.header() else { return nil }
            header = second
        }
        let timeSize = header.version >= UInt8(ascii: "2") ? 8 : 4
        guard header.leaps == 0, header.types > 0, reader.bytes.count >= header.length(timeSize: timeSize) else {
            return nil
        }
        let times = (0..<header.times).map { _ in reader.integer(timeSize) }
        let kinds = (0..<header.times).map { _ in reader.integer(1) & 0xff }
        let offsets = (0..<header.types).map { _ in
            let offset = reader.integer(4)
            reader.skip(2)
            return offset
        }
        guard kinds.allSatisfy({ $0 < offsets.count }), offsets.allSatisfy({ abs($0) < 26 * 3_600 }),
            zip(times, times.dropFirst()).allSatisfy(<)
        else { return nil }
        reader.skip(header.characters + header.standards + header.universals)
        changes = zip(times, kinds).map { Change(time: $0, offset: offsets[$1]) }
        first = offsets[0]
        rest = nil
        if timeSize == 8 {
            let text = String(decoding: reader.bytes, as: UTF8.self).split(separator: "\n").first ?? ""
            if !text.isEmpty {
                guard let rule = ZoneRule(text) else { return nil }
                rest = rule
            }
        }
    }
}

/// Reads big-endian numbers; 0 after the end.
private struct FileReader {
    struct Header {
        var version: UInt8
        var universals, standards, leaps, times, types, characters: Int

        func length(timeSize: Int) -> Int {
            times * (timeSize + 1) + types * 6 + characters + leaps * (timeSize + 4) + standards + universals
        }
    }

    var bytes: ArraySlice<UInt8>

    mutating func header() -> Header? {
        guard bytes.count >= 44, bytes.starts(with: "TZif".utf8) else { return nil }
        let version = bytes[bytes.startIndex + 4]
        skip(20)
        let counts = (0..<6).map { _ in integer(4) }
        guard counts.allSatisfy({ (0...65_536).contains($0) }) else { return nil }
        return Header(
            version: version, universals: counts[0], standards: counts[1], leaps: counts[2], times: counts[3],
            types: counts[4], characters: counts[5])
    }

    mutating func skip(_ count: Int) { bytes = bytes.dropFirst(count) }

    mutating func integer(_ size: Int) -> Int {
        var value: UInt64 = 0
        for byte in bytes.prefix(size) { value = value << 8 | UInt64(byte) }
        skip(size)
        let unused = 64 - size * 8
        return Int(Int64(bitPattern: value << unused) >> unused)
    }
}
