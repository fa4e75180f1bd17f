// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Loudness as it is perceived, 0...1. The amplitude is its cube: half of it is 18 dB quieter.
public enum Level {
    /// `level` outside 0...1 is taken as the nearest bound.
    public static func amplitude(_ level: Double) -> Double {
        let level = min(1, max(0, level))
        return level * level * level
    }

    /// Rounded to nine decimals, so that what was set as a decimal is read as it was set.
    public static func of(amplitude: Double) -> Double {
        (cbrt(amplitude) * 1e9).rounded() / 1e9
    }
}
