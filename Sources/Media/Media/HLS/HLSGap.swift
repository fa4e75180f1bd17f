// SPDX-License-Identifier: Apache-2.0

/// The missing segments since the last frame that was heard, in seconds: how many are tolerated, and the silence in their place.
struct HLSGap {
    /// Seconds of silence that wait for the clock of the next segment.
    private static let unreported = 0.25

    private let limits: HLSLimits
    private let isLive: Bool
    private var segments = 0
    private var seconds = 0.0
    /// Missing seconds that have not become silence yet.
    private(set) var owed = 0.0
    /// Seconds that may be missing besides: the rest of a segment that broke off.
    private var slack = 0.0

    init(_ limits: HLSLimits, isLive: Bool) {
        self.limits = limits
        self.isLive = isLive
    }

    /// A segment of this duration is missing. False if the stream has failed.
    mutating func add(_ duration: Double) -> Bool {
        segments += 1
        seconds += duration
        owed += duration
        return segments <= limits.missing
            ? seconds <= limits.missingSeconds : isLive && seconds <= limits.missingLiveSeconds
    }

    /// A segment of this duration broke off.
    mutating func brokeOff(_ duration: Double) { slack = duration }

    /// The silence to play at once: all but a little, which the next segment's clock corrects.
    mutating func take() -> Double {
        defer { owed = min(owed, Self.unreported) }
        return max(0, owed - Self.unreported)
    }

    /// The silence before the next segment. `measured`: by that segment's clock.
    mutating func close(_ measured: Double?) -> Double {
        defer { forget() }
        guard owed + slack > 0 else { return 0 }
        return measured.map { min(max(0, $0), owed + slack + 1) } ?? owed
    }

    /// The next segment does not continue the timeline.
    mutating func forget() { (owed, slack) = (0, 0) }

    /// Frames of the next segment are played.
    mutating func heard() { (segments, seconds) = (0, 0) }
}
