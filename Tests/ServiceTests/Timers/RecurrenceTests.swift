// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Service

@Suite struct RecurrenceTests {
    private let berlin = ZoneRules(changes: [], first: 0, rest: ZoneRule("CET-1CEST,M3.5.0,M10.5.0/3"))

    /// Seconds since 1970, in UTC.
    private func time(_ year: Int, _ month: Int, _ day: Int, _ hour: Int = 0, _ minute: Int = 0) -> Int {
        CivilDay(year: year, month: month, day: day).number * 86_400 + hour * 3_600 + minute * 60
    }

    private func next(
        _ hour: Int, _ minute: Int, _ days: Set<Weekday> = [], after time: Int, _ zone: ZoneRules? = nil,
        except: Int? = nil
    ) -> Int {
        Recurrence(seconds: hour * 3_600 + minute * 60, days: days).next(
            after: time, in: zone ?? berlin, except: except
        ).time
    }

    @Test func civilDays_matchTheCalendar() {
        #expect(CivilDay(year: 1970, month: 1, day: 1).number == 0 && CivilDay(number: 0).weekday == .thu)
        #expect(CivilDay(year: 2000, month: 2, day: 29).weekday == .tue)
        #expect(CivilDay(year: 1969, month: 12, day: 31).weekday == .wed)
        for number in stride(from: -200_000, through: 200_000, by: 97) {
            let year = CivilDay(number: number).year
            #expect(CivilDay(year: year, month: 1, day: 1).number <= number)
            #expect(CivilDay(year: year + 1, month: 1, day: 1).number > number)
        }
    }

    @Test func withoutDays_todayOrTomorrow() {
        #expect(next(7, 0, after: time(2026, 7, 1, 4, 59)) == time(2026, 7, 1, 5))
        #expect(next(7, 0, after: time(2026, 7, 1, 5)) == time(2026, 7, 2, 5))
        #expect(next(0, 0, after: time(2026, 7, 1, 21, 59)) == time(2026, 7, 1, 22))
    }

    @Test func withDays_onlyOnThem() {
        // A Friday.
        let friday = time(2026, 11, 20, 12)
        #expect(next(7, 0, [.mon, .fri], after: friday) == time(2026, 11, 23, 6))
        #expect(next(7, 0, [.fri], after: friday) == time(2026, 11, 27, 6))
    }

    @Test func theLeapDay_isADay() {
        #expect(next(7, 0, after: time(2028, 2, 28, 12)) == time(2028, 2, 29, 6))
        #expect(next(7, 0, after: time(2027, 2, 28, 12)) == time(2027, 3, 1, 6))
    }

    /// Clocks go from 02:00 to 03:00 on 29 March 2026, at 01:00 UTC.
    @Test func aSkippedTime_isTheTimeOfTheChange() {
        let before = time(2026, 3, 28, 12)
        #expect(next(2, 30, after: before) == time(2026, 3, 29, 1))
        #expect(next(2, 0, after: before) == time(2026, 3, 29, 1))
        #expect(next(3, 0, after: before) == time(2026, 3, 29, 1))
        #expect(next(1, 59, after: before) == time(2026, 3, 29, 0, 59))
        #expect(next(2, 30, after: time(2026, 3, 29, 1)) == time(2026, 3, 30, 0, 30))
    }

    /// Clocks go from 03:00 to 02:00 on 25 October 2026, at 01:00 UTC.
    @Test func aRepeatedTime_isTheFirstOfTheTwo() {
        let before = time(2026, 10, 24, 12)
        #expect(next(2, 30, after: before) == time(2026, 10, 25, 0, 30))
        #expect(next(2, 30, after: time(2026, 10, 25, 0, 30)) == time(2026, 10, 26, 1, 30))
        #expect(next(3, 0, after: before) == time(2026, 10, 25, 2))
    }

    @Test func anExceptedDay_isSkipped() {
        let day = CivilDay(year: 2026, month: 7, day: 1).number
        // The clock was set back after the alarm.
        #expect(next(7, 0, after: time(2026, 7, 1, 4), except: day) == time(2026, 7, 2, 5))
    }

    @Test func rules_areParsed() throws {
        let sydney = ZoneRules(changes: [], first: 0, rest: ZoneRule("AEST-10AEDT,M10.1.0,M4.1.0/3"))
        #expect(
            sydney.offset(at: time(2026, 1, 15)) == 11 * 3_600 && sydney.offset(at: time(2026, 7, 15)) == 10 * 3_600)
        let dublin = try #require(ZoneRule("IST-1GMT0,M10.5.0,M3.5.0/1"))
        #expect(dublin.offset(at: time(2026, 1, 15)) == 0 && dublin.offset(at: time(2026, 7, 15)) == 3_600)
        let julian = try #require(ZoneRule("<-03>3<-02>,J60/0,300/-1:30"))
        #expect(
            julian.offset(at: time(2028, 3, 1, 3)) == -2 * 3_600 && julian.offset(at: time(2028, 3, 1, 2)) == -3 * 3_600
        )
        #expect(ZoneRule("<+0545>-5:45")?.standard == 20_700)
        for wrong in ["", "C-1", "CET", "CET-1CEST,M13.1.0,M10.5.0", "CET-1CEST,M3.5.0", "CET-25"] {
            #expect(ZoneRule(wrong) == nil, "\(wrong)")
        }
    }

    @Test func zoneFiles_areRead_andInvalidNamesRefused() throws {
        for name in ["", "../etc/passwd", "/etc/localtime", "Nowhere/Town", "Europe", "Europe/", "a\u{0}b"] {
            #expect(ZoneFile.zone(named: name) == nil, "\(name)")
        }
        let berlin = try #require(ZoneFile.zone(named: "Europe/Berlin"))
        #expect(berlin.offset(at: time(2026, 1, 1)) == 3_600 && berlin.offset(at: time(2040, 7, 1)) == 7_200)
        #expect(berlin.offset(at: time(1945, 6, 1)) == 3 * 3_600)
        // 30 December 2011 was skipped.
        let apia = try #require(ZoneFile.zone(named: "Pacific/Apia"))
        #expect(next(12, 0, [.fri], after: time(2011, 12, 29, 0), apia) == time(2011, 12, 30, 10))
    }

    @Test func invalidFiles_areRefused() {
        let whole = [UInt8]("TZif2".utf8) + [UInt8](repeating: 0, count: 15) + [UInt8](repeating: 0xff, count: 24)
        #expect(ZoneRules(file: whole) == nil)
        #expect(ZoneRules(file: []) == nil && ZoneRules(file: Array("TZif".utf8)) == nil)
    }
}
