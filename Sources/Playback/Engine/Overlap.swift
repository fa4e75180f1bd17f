// SPDX-License-Identifier: Apache-2.0

internal import Audio
internal import Synchronization

/// Seconds that the player's thread sets and decode threads read: how much of an item's end is held back, how much is decoded
/// ahead.
final class SharedSeconds: Sendable {
    private let bits: Atomic<UInt64>

    init(seconds: Double = 0) { bits = Atomic(seconds.bitPattern) }

    var seconds: Double {
        get { Double(bitPattern: bits.load(ordering: .relaxed)) }
        set { bits.store(newValue.bitPattern, ordering: .relaxed) }
    }
}

/// The end of one item over which the next one begins.
struct Overlap: Sendable {
    var tail: HeldTail
    /// Frames that sound together; those of the tail before them are heard alone.
    var frames: FrameCount
    /// By which the tail is multiplied beside the curve: the ratio of both items' loudness factors.
    var gain: Float = 1
    /// Of the sum: below it nothing is changed.
    var ceiling: Float = 1
    /// Of the next item.
    var loudness: TrackLoudness?
    var isInAlbum = false

    init(_ tail: HeldTail, frames: FrameCount) {
        (self.tail, self.frames) = (tail, frames)
    }

    /// Each item keeps its own loudness, and the sum stays below full scale.
    mutating func weigh(
        _ left: (track: TrackLoudness?, isInAlbum: Bool), _ next: (track: TrackLoudness?, isInAlbum: Bool),
        _ settings: EffectSettings.Loudness
    ) {
        let factor = settings.factor(for: next.track, inAlbum: next.isInAlbum)
        gain = settings.factor(for: left.track, inAlbum: left.isInAlbum) / factor
        ceiling = min(1, 1 / factor)
        (loudness, isInAlbum) = (next.track, next.isInAlbum)
    }
}
