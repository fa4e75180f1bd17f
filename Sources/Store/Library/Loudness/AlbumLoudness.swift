// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The loudness of an album as one programme, from those of its tracks: the mean of their energies over the time that counts.
struct AlbumLoudness {
    struct Part {
        /// LUFS, integrated.
        var loudness: Double
        /// As `MediaLoudness.gatedSeconds`.
        var seconds: Double
    }

    /// So far below the mean the relative gate of BS.1770-4 lies, in LU.
    private static let gate = 10.0

    /// LUFS.
    let value: Double

    /// nil when nothing counts.
    init?(_ parts: [Part]) {
        guard let whole = Self.mean(parts) else { return nil }
        // A track below the gate of the whole album counts as little as a silent passage of one track.
        value = Self.mean(parts.filter { $0.loudness >= whole - Self.gate }) ?? whole
    }

    private static func mean(_ parts: [Part]) -> Double? {
        let seconds = parts.reduce(0) { $0 + $1.seconds }
        let energy = parts.reduce(0) { $0 + pow(10, $1.loudness / 10) * $1.seconds }
        return energy > 0 && seconds > 0 ? 10 * log10(energy / seconds) : nil
    }
}
