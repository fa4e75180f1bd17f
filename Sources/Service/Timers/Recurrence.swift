// SPDX-License-Identifier: Apache-2.0

/// The times of an alarm: a time of day, on some days of the week or on the next day.
public struct Recurrence: Hashable, Codable, Sendable {
    /// Seconds since midnight.
    public var seconds: Int
    /// Empty: any day.
    public var days: Set<Weekday>

    public init(seconds: Int, days: Set<Weekday>) {
        self.seconds = seconds
        self.days = days
    }

    /// The first time after `time`, in seconds since 1970, and its day.
    ///
    /// A time that the clocks skip counts as the time of the change; of a time that they show twice, the first counts.
    /// `except`: a day on which the alarm was due already, even if the clock was set back since.
    func next(after time: Int, in zone: ZoneRules, except: Int? = nil) -> (time: Int, day: Int) {
        let today = CivilDay(containing: time + zone.offset(at: time)).number
        // Nine days ahead: a zone may skip one day, and `except` is another.
        for number in (today - 1)...(today + 9) where number != except {
            let day = CivilDay(number: number)
            guard days.isEmpty || days.contains(day.weekday) else { continue }
            let candidate = zone.time(of: number * CivilDay.seconds + seconds)
            if candidate > time { return (candidate, number) }
        }
        // Reached only if the wanted weekday was skipped.
        return next(after: time + 7 * CivilDay.seconds, in: zone)
    }
}

public enum Weekday: String, CaseIterable, Codable, Sendable {
    case mon, tue, wed, thu, fri, sat, sun
}

/// A day of the Gregorian calendar, counted from 1970-01-01.
struct CivilDay: Hashable {
    var number: Int

    static let seconds = 86_400

    init(number: Int) { self.number = number }

    /// Years are counted from March on, so that the leap day is the last day of its year.
    init(year: Int, month: Int, day: Int) {
        let year = month <= 2 ? year - 1 : year
        let era = year.dividedDown(by: 400)
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        number = era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    /// The day that contains this time, in seconds since 1970-01-01 00:00 on the same clock.
    init(containing seconds: Int) { number = seconds.dividedDown(by: Self.seconds) }

    var year: Int {
        let days = number + 719_468
        let era = days.dividedDown(by: 146_097)
        let dayOfEra = days - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        // Day 306 is 1 January.
        return yearOfEra + era * 400 + (dayOfYear >= 306 ? 1 : 0)
    }

    /// 0 is Monday; 1970-01-01 was a Thursday.
    var weekdayIndex: Int { number + 3 - (number + 3).dividedDown(by: 7) * 7 }
    var weekday: Weekday { Weekday.allCases[weekdayIndex] }

    static func isLeap(_ year: Int) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }
}

extension Int {
    /// Rounds down, also below 0.
    func dividedDown(by divisor: Int) -> Int {
        let quotient = self / divisor
        return self % divisor < 0 ? quotient - 1 : quotient
    }
}
