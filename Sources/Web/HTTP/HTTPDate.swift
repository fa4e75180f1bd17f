// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Dates in the preferred format, IMF-fixdate, as whole seconds since 1970 (RFC 9110 section 5.6.7). The obsolete formats
/// are not supported: a condition with such a date is ignored.
public enum HTTPDate {
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    // strftime(3) uses English names, as this program never calls setlocale(3).
    private static let pattern = "%a, %d %b %Y %H:%M:%S GMT"

    public static func format(_ seconds: Int64) -> String {
        var (seconds, parts) = (time_t(seconds), tm())
        gmtime_r(&seconds, &parts)
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { text in
            strftime(text.baseAddress, text.count, pattern, &parts)
            return text.baseAddress.map { String(cString: $0) } ?? ""
        }
    }

    public static func parse(_ text: String) -> Int64? {
        let words = text.split { $0 == " " || $0 == ":" }
        guard words.count == 8, let month = months.firstIndex(of: String(words[2])), let day = Int32(words[1]),
            let year = Int32(words[3]), let hour = Int32(words[4]), let minute = Int32(words[5]),
            let second = Int32(words[6])
        else { return nil }
        var parts = tm()
        (parts.tm_mday, parts.tm_mon, parts.tm_year) = (day, Int32(month), year &- 1_900)
        (parts.tm_hour, parts.tm_min, parts.tm_sec) = (hour, minute, second)
        let seconds = Int64(timegm(&parts))
        // Rejects other spellings, and days that do not exist.
        return format(seconds) == text ? seconds : nil
    }
}
