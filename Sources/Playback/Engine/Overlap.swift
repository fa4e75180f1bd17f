// SPDX-License-Identifier: Apache-2.0

internal import Audio
internal import Synchronization

/// Seconds that the player's thread sets and decode threads read.
final class SharedSeconds: Sendable {
    private let bits: Atomic<UInt64>

    init(seconds: Double = 0) { bits = Atomic(seconds.bitPattern) }

    var seconds: Double {
        get { Double(bitPattern: bits.load(ordering: .relaxed)) }
        set { bits.store(newValue.bitPattern, ordering: .relaxed) }
    }
}

/// The end of one item over which the next one starts.
struct Overlap: Sendable {
    var tail: HeldTail
    /// Frames that overlap; the frames of the tail before them are heard alone.
    var frames: FrameCount
    /// The gain of the tail besides the curve: the ratio of both items' loudness factors.
    var gain: Float
    /// The limit of the sum.
    var ceiling: Float
    /// The next item's loudness.
    var loudness: TrackLoudness?
    var isInAlbum: Bool

    /// Each item keeps its loudness, and the sum stays below full scale.
    init(
        _ tail: HeldTail, frames: FrameCount, _ left: (track: TrackLoudness?, isInAlbum: Bool),
        _ next: (track: TrackLoudness?, isInAlbum: Bool), _ settings: EffectSettings.Loudness
    ) {
        (self.tail, self.frames) = (tail, frames)
        let factor = settings.factor(for: next.track, inAlbum: next.isInAlbum)
        gain = settings.factor(for: left.track, inAlbum: left.isInAlbum) / factor
        ceiling = min(1, 1 / factor)
        (loudness, isInAlbum) = (next.track, next.isInAlbum)
    }
}
