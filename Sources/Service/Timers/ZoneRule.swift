// SPDX-License-Identifier: Apache-2.0

/// The yearly rule of a time zone: the footer of a TZif file or the value of `TZ`, such as `CET-1CEST,M3.5.0,M10.5.0/3`
/// (POSIX; RFC 9636 section 3.3.1 for times beyond a day).
struct ZoneRule: Hashable, Sendable {
    struct Daylight: Hashable, Sendable {
        var offset: Int
        var begin: Change
        var end: Change
    }

    /// A day of each year, and a time in seconds since its midnight.
    struct Change: Hashable, Sendable {
        enum Day: Hashable, Sendable {
            /// 1...365; the leap day is never counted.
            case julian(Int)
            /// 0...365, with the leap day.
            case ordinal(Int)
            /// The `week`th such day of the month; 5 is the last one. Day 0 is Sunday.
            case weekday(month: Int, week: Int, day: Int)
        }

        var day: Day
        var seconds = 7_200

        /// Its time in seconds, on the clock before the change.
        func local(in year: Int) -> Int { dayNumber(in: year) * CivilDay.seconds + seconds }

        private func dayNumber(in year: Int) -> Int {
            let first = CivilDay(year: year, month: 1, day: 1).number
            switch day {
            case .julian(let day): return first + day - 1 + (CivilDay.isLeap(year) && day >= 60 ? 1 : 0)
            case .ordinal(let day): return first + day
            case .weekday(let month, let week, let day):
                let begin = CivilDay(year: year, month: month, day: 1)
                let next = CivilDay(year: month == 12 ? year + 1 : year, month: month % 12 + 1, day: 1).number
                let firstSuch = begin.number + (day + 6 - begin.weekdayIndex) % 7
                let wanted = firstSuch + (week - 1) * 7
                return wanted < next ? wanted : wanted - 7
            }
        }
    }

    var standard: Int
    var daylight: Daylight?

    func offset(at time: Int) -> Int {
        guard let daylight else { return standard }
        let year = CivilDay(containing: time + standard).year
        let begin = daylight.begin.local(in: year) - standard
        let end = daylight.end.local(in: year) - daylight.offset
        let isDaylight = begin < end ? begin <= time && time < end : time >= begin || time < end
        return isDaylight ? daylight.offset : standard
    }

    /// nil for an invalid rule.
    init?(_ text: some StringProtocol) {
        var rest = Substring(text)
        guard Self.name(&rest), let west = Self.time(&rest, hours: 24) else { return nil }
        standard = -west
        if rest.isEmpty { return }
        guard Self.name(&rest) else { return nil }
        var offset = standard + 3_600
        if let first = rest.first, first != "," {
            guard let west = Self.time(&rest, hours: 24) else { return nil }
            offset = -west
        }
        guard let begin = Self.change(&rest), let end = Self.change(&rest), rest.isEmpty else { return nil }
        daylight = Daylight(offset: offset, begin: begin, end: end)
    }

    // MARK: Parsing

    private static func name(_ rest: inout Substring) -> Bool {
        if rest.first == "<" {
            guard let end = rest.firstIndex(of: ">") else { return false }
            rest = rest[rest.index(after: end)...]
            return true
        }
        let letters = rest.prefix { $0.isASCII && $0.isLetter }
        rest = rest.dropFirst(letters.count)
        return letters.count >= 3
    }

    private static func number(_ rest: inout Substring, _ range: ClosedRange<Int>) -> Int? {
        let digits = rest.prefix(4).prefix { $0.isASCII && $0.isNumber }
        guard let value = Int(digits), range.contains(value) else { return nil }
        rest = rest.dropFirst(digits.count)
        return value
    }

    /// `[+-]hh[:mm[:ss]]` as seconds.
    private static func time(_ rest: inout Substring, hours: Int) -> Int? {
        let isNegative = rest.first == "-"
        if let sign = rest.first, "+-".contains(sign) { rest = rest.dropFirst() }
        guard var seconds = number(&rest, 0...hours).map({ $0 * 3_600 }) else { return nil }
        for unit in [60, 1] where rest.first == ":" {
            rest = rest.dropFirst()
            guard let value = number(&rest, 0...59) else { return nil }
            seconds += value * unit
        }
        return isNegative ? -seconds : seconds
    }

    private static func change(_ rest: inout Substring) -> Change? {
        guard rest.first == "," else { return nil }
        rest = rest.dropFirst()
        guard let day = day(&rest) else { return nil }
        guard rest.first == "/" else { return Change(day: day) }
        rest = rest.dropFirst()
        return time(&rest, hours: 167).map { Change(day: day, seconds: $0) }
    }

    private static func day(_ rest: inout Substring) -> Change.Day? {
        switch rest.first {
        case "J":
            rest = rest.dropFirst()
            return number(&rest, 1...365).map { .julian($0) }
        case "M":
            rest = rest.dropFirst()
            guard let month = number(&rest, 1...12), rest.first == "." else { return nil }
            rest = rest.dropFirst()
            guard let week = number(&rest, 1...5), rest.first == "." else { return nil }
            rest = rest.dropFirst()
            return number(&rest, 0...6).map { .weekday(month: month, week: week, day: $0) }
        default: return number(&rest, 0...365).map { .ordinal($0) }
        }
    }
}
