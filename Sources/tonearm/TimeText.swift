// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
internal import Kernel

/// A time argument: `75`, `12.5`, `1:15`, `1:02:03.5`, `90s`, `1m30s`.
struct TimeArgument: ExpressibleByArgument, Hashable {
    /// Finite, 0 or more.
    let seconds: Double

    init?(argument: String) {
        guard let seconds = TimeText.seconds(argument) ?? TimeText.duration(argument) else { return nil }
        self.seconds = seconds
    }

    /// The forms, for the help.
    static let forms = "seconds, m:ss, h:mm:ss, or with units as in 90s and 1h30m"
}

enum TimeText {
    /// nil if `text` is not a time.
    static func seconds(_ text: some StringProtocol) -> Double? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard (1...3).contains(parts.count), let last = number(parts[parts.count - 1]) else { return nil }
        if parts.count > 1, last >= 60 { return nil }
        var total = 0
        for (index, part) in parts.dropLast().enumerated() {
            guard isDigits(part), let value = Int(part), value < 1_000_000, index == 0 || value < 60 else { return nil }
            total = total * 60 + value
        }
        let seconds = Double(total * 60) + last
        return seconds <= 36_000_000 ? seconds : nil
    }

    /// Parses `1:30:00`, `30m`, `1h30m`; nil for any other text, a number without unit included.
    static func duration(_ text: some StringProtocol) -> Double? {
        if text.contains(":") { return seconds(text) }
        var (rest, total) = (Substring(text), 0.0)
        // Each unit at most once, in this order.
        for (unit, length) in [("h", 3_600.0), ("m", 60), ("s", 1)] {
            guard let end = rest.firstIndex(of: Character(unit)) else { continue }
            guard let number = seconds(rest[..<end]) else { return nil }
            total += number * length
            rest = rest[rest.index(after: end)...]
        }
        return rest.isEmpty && !text.isEmpty ? total : nil
    }

    /// `1:05`, `1:02:03`; `--:--` if unknown.
    static func text(_ seconds: Double?) -> String {
        guard let seconds, seconds.isFinite, seconds >= 0 else { return "--:--" }
        let whole = Int(clamping: seconds)
        let (hours, minutes) = (whole / 3_600, whole / 60 % 60)
        let end = padded(whole % 60)
        return hours > 0 ? "\(hours):\(padded(minutes)):\(end)" : "\(minutes):\(end)"
    }

    /// `1:05.25`: to the millisecond.
    static func exact(_ seconds: Double) -> String {
        let milliseconds = Int(clamping: (seconds * 1_000).rounded())
        var digits = String(milliseconds % 1_000 + 1_000).dropFirst()
        while digits.last == "0" { digits.removeLast() }
        return text(Double(milliseconds / 1_000)) + (digits.isEmpty ? "" : "." + digits)
    }

    /// The time until a moment, rounded, with days. A timer that was just set to 30 min still reads `30:00`.
    static func remaining(_ seconds: Double?) -> String {
        guard let seconds, seconds.isFinite, seconds >= 86_399.5 else { return text(seconds?.rounded()) }
        let whole = Int(clamping: seconds.rounded())
        return "\(whole / 86_400) d \(whole / 3_600 % 24):\(padded(whole / 60 % 60)):\(padded(whole % 60))"
    }

    /// With two digits at least.
    static func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

    private static func isDigits(_ text: some StringProtocol) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
    }

    /// Digits with at most one point: no sign, no exponent, no `inf`.
    private static func number(_ text: some StringProtocol) -> Double? {
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x2E }) else { return nil }
        return Double(text)
    }
}
