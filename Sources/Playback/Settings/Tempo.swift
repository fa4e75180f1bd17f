// SPDX-License-Identifier: Apache-2.0

/// How fast and how high an item is played.
public struct Tempo: Hashable, Sendable {
    /// Media seconds per second.
    public var rate: Double
    /// By which the sound is higher than the media.
    public var cents: Double
    /// When not, the pitch follows the rate, as on a turntable.
    public var preservesPitch: Bool

    static let normal = Tempo()

    public init(rate: Double = 1, cents: Double = 0, preservesPitch: Bool = true) {
        self.rate = rate
        self.cents = cents
        self.preservesPitch = preservesPitch
    }

    /// The part that resampling does.
    var resampling: Double { preservesPitch ? 1 : rate }
    /// The part that time stretching does.
    var stretching: Double { preservesPitch ? rate : 1 }
    var needsStretcher: Bool { stretching != 1 || cents != 0 }
}

extension PlayerSettings {
    var tempo: Tempo { Tempo(rate: playbackRate, cents: pitch, preservesPitch: preservesPitch) }
}
