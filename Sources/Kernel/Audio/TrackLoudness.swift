// SPDX-License-Identifier: Apache-2.0

/// The known loudness of a track: gains to the reference level in dB, linear peaks.
public struct TrackLoudness: BitwiseCopyable, Hashable, Sendable {
    public var trackGain: Double?
    public var trackPeak: Double?
    public var albumGain: Double?
    public var albumPeak: Double?

    @_noLocks @_noAllocation
    public init(
        trackGain: Double? = nil, trackPeak: Double? = nil, albumGain: Double? = nil, albumPeak: Double? = nil
    ) {
        self.trackGain = trackGain
        self.trackPeak = trackPeak
        self.albumGain = albumGain
        self.albumPeak = albumPeak
    }
}
