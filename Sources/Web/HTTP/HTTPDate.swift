// SPDX-License-Identifier: Apache-2.0

/// The preferred date format, IMF-fixdate, in whole seconds since 1970 (RFC 9110 section 5.6.7). The obsolete formats
/// are not read: a condition with one counts as absent.
public enum HTTPDate {
    private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    public static func format(_ seconds: Int64) -> String {
        let day = seconds.flooringDivision(86400)
        let (year, month, dayOfMonth) = civil(day)
        let time = seconds - day * 86400
        let weekday = Int(((day % 7) + 7) % 7)
        return "\(days[weekday]), \(two(dayOfMonth)) \(months[month - 1]) \(four(year)) "
            + "\(two(Int(time / 3600))):\(two(Int(time / 60 % 60))):\(two(Int(time % 60))) GMT"
    }

    public static func parse(_ text: String) -> Int64? {
        let bytes = Array(text.utf8)
        guard bytes.count == 29, text.hasSuffix(" GMT"), bytes[3] == UInt8(ascii: ","), bytes[4] == 32, bytes[7] == 32,
            bytes[11] == 32, bytes[16] == 32, bytes[19] == UInt8(ascii: ":"), bytes[22] == UInt8(ascii: ":"),
            let weekday = days.firstIndex(of: String(decoding: bytes[0..<3], as: UTF8.self)),
            let month = months.firstIndex(of: String(decoding: bytes[8..<11], as: UTF8.self)),
            let dayOfMonth = number(bytes[5..<7]), let year = number(bytes[12..<16]), let hour = number(bytes[17..<19]),
            let minute = number(bytes[20..<22]), let second = number(bytes[23..<25]),
            (1...31).contains(dayOfMonth), hour < 24, minute < 60, second <= 60
        else { return nil }
        let day = daysSince1970(year: year, month: month + 1, day: dayOfMonth)
        guard civil(day) == (year, month + 1, dayOfMonth), Int(((day % 7) + 7) % 7) == weekday else { return nil }
        return day * 86400 + Int64(hour * 3600 + minute * 60 + second)
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        digits.reduce(0 as Int?) { sum, byte in
            guard let sum, (48...57).contains(byte) else { return nil }
            return sum * 10 + Int(byte - 48)
        }
    }

    private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    private static func four(_ number: Int) -> String {
        String(repeating: "0", count: max(0, 4 - "\(number)".count)) + "\(number)"
    }

    /// Gregorian date of a day count, in years that begin in March so that the leap day comes last.
    private static func civil(_ day: Int64) -> (year: Int, month: Int, day: Int) {
        let shifted = day + 719_468
        let era = shifted.flooringDivision(146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (Int(year), Int(month), Int(dayOfYear - (153 * marchMonth + 2) / 5 + 1))
    }

    private static func daysSince1970(year: Int, month: Int, day: Int) -> Int64 {
        let shiftedYear = Int64(month <= 2 ? year - 1 : year)
        let era = shiftedYear.flooringDivision(400)
        let yearOfEra = shiftedYear - era * 400
        let dayOfYear = Int64((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1)
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }
}

extension Int64 {
    fileprivate func flooringDivision(_ divisor: Int64) -> Int64 {
        self >= 0 ? self / divisor : -((-self + divisor - 1) / divisor)
    }
}
