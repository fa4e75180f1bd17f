// SPDX-License-Identifier: Apache-2.0

public import Glibc

/// Nanoseconds on CLOCK_MONOTONIC: the common time base of engine, outputs and event pacing.
public struct MonotonicTime: BitwiseCopyable, Hashable, Comparable, Sendable {
    public var nanoseconds: Int64

    public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    public static var now: MonotonicTime {
        var time = Glibc.timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return MonotonicTime(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }

    public static func < (left: MonotonicTime, right: MonotonicTime) -> Bool {
        left.nanoseconds < right.nanoseconds
    }

    public var timespec: timespec {
        Glibc.timespec(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
    }

    /// Clamped to the earliest or latest time if the sum does not fit.
    public func advanced(bySeconds seconds: Double) -> MonotonicTime {
        let (sum, overflow) = nanoseconds.addingReportingOverflow(Int64(clamping: (seconds * 1e9).rounded()))
        return MonotonicTime(nanoseconds: overflow ? (seconds < 0 ? .min : .max) : sum)
    }

    /// Seconds from `earlier` to this time; negative if `earlier` is later.
    public func seconds(since earlier: MonotonicTime) -> Double {
        let (difference, overflow) = nanoseconds.subtractingReportingOverflow(earlier.nanoseconds)
        return overflow ? (Double(nanoseconds) - Double(earlier.nanoseconds)) / 1e9 : Double(difference) / 1e9
    }
}
