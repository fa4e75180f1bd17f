// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Kernel

/// Counts the gating blocks of a media by their loudness (BS.1770-4). libebur128 keeps such a histogram and does not show it.
struct GatingBlocks {
    /// LUFS of the absolute gate, and LU of the relative one.
    private static let floor = -70.0
    private static let gate = 10.0
    /// Bins of 0.1 LU, as libebur128 has them.
    private var counts = [Int](repeating: 0, count: 1_000)

    /// `loudness`: LUFS; -infinity is silence.
    mutating func add(_ loudness: Double) {
        guard loudness >= Self.floor else { return }
        counts[min(counts.count - 1, Int(clamping: (loudness - Self.floor) * 10))] += 1
    }

    /// Blocks above both gates.
    var gated: Int {
        let all = counts.reduce(0, +)
        guard all > 0 else { return 0 }
        let energy = counts.indices.reduce(0) { $0 + Double(counts[$1]) * pow(10, Self.loudness(ofBin: $1) / 10) }
        let threshold = 10 * log10(energy / Double(all)) - Self.gate
        return counts.indices.reduce(0) { $0 + (Self.loudness(ofBin: $1) >= threshold ? counts[$1] : 0) }
    }

    private static func loudness(ofBin bin: Int) -> Double { floor + (Double(bin) + 0.5) / 10 }
}
