// SPDX-License-Identifier: Apache-2.0

/// When an alarm goes off: a time of day, on some days of the week or on the next day.
public struct Recurrence: Hashable, Sendable {
    /// Of the day.
    public var seconds: Int
    /// None: any day.
    public var days: Set<Weekday>

    public init(seconds: Int, days: Set<Weekday>) {
        self.seconds = seconds
        self.days = days
    }

    /// The first time after `time`, in seconds since 1970, and the day that it belongs to.
    ///
    /// A time that the clocks jump over is when they jump; one that they show twice is the first of the two. `except`: a day
    /// that is over, whatever the clock has shown since.
    func next(after time: Int, in zone: ZoneRules, except: Int? = nil) -> (time: Int, day: Int) {
        let today = CivilDay(containing: time + zone.offset(at: time)).number
        // A zone may skip one day, and the day that is left out is another.
        for number in (today - 1)...(today + 9) where number != except {
            let day = CivilDay(number: number)
            guard days.isEmpty || days.contains(day.weekday) else { continue }
            let candidate = zone.time(of: number * CivilDay.seconds + seconds)
            if candidate > time { return (candidate, number) }
        }
        // Ten days hold two of each weekday, but for a day that was skipped.
        return next(after: time + 7 * CivilDay.seconds, in: zone)
    }
}
