// SPDX-License-Identifier: Apache-2.0

/// Where to seek to, or a volume: the member of a request that it stands for.
struct Target: Hashable {
    var member: String
    var value: Double

    init(_ member: String, _ value: Double) {
        self.member = member
        self.value = value
    }

    /// `12.5`, `1:23`, `+10`, `-1:00`, `50%`, as seconds or a part of the whole; nil when it is none of these.
    static func position(_ text: String) -> Target? {
        if text.hasSuffix("%") { return percent(text.dropLast()).map { Target("progress", $0 / 100) } }
        let (digits, sign) = unsigned(text[...])
        return TimeText.seconds(digits).map { Target(sign == nil ? "position" : "offset", sign == "-" ? -$0 : $0) }
    }

    /// `80`, `80%`, `+5`, `-5`; nil when it is none of these or lies outside 0...100. The server adds a step to its level, so
    /// that steps of several clients add up.
    static func volume(_ text: String) -> Target? {
        let (digits, sign) = unsigned(text.hasSuffix("%") ? text.dropLast() : text[...])
        return percent(digits).map { Target(sign == nil ? "level" : "levelBy", (sign == "-" ? -$0 : $0) / 100) }
    }

    private static func unsigned(_ text: Substring) -> (digits: Substring, sign: Character?) {
        guard let sign = text.first, sign == "+" || sign == "-" else { return (text, nil) }
        return (text.dropFirst(), sign)
    }

    private static func percent(_ digits: Substring) -> Double? {
        digits.contains(":") ? nil : TimeText.seconds(digits).flatMap { $0 <= 100 ? $0 : nil }
    }
}
