// SPDX-License-Identifier: Apache-2.0

internal import Audio
public import Kernel

/// The audible position at one moment, as exact as the sink's clock.
public struct AudiblePosition: Hashable, Sendable {
    public var itemID: ItemID
    /// Seconds into the item.
    public var position: Double
    /// Media seconds per second.
    public var rate = 1.0
    public var at: MonotonicTime

    public func position(at time: MonotonicTime) -> Double { position + time.seconds(since: at) * rate }

    /// The seconds by which this position is ahead of `other`; both must have the same rate.
    public func ahead(of other: AudiblePosition) -> Double {
        (position - other.position) / rate - at.seconds(since: other.at)
    }
}

extension PlayerCore {
    /// nil unless the current item plays, and between two items.
    func audiblePosition(_ reading: OutputClock) -> AudiblePosition? {
        guard reading.isAdvancing, status == .playing, seek == nil, scan == nil, let current else { return nil }
        var timeline = stream.timeline
        _ = timeline.advance(to: reading.ringIndex)
        guard let place = timeline.place, current.holds(place.segment),
            case .played(let rate) = place.segment.pace
        else { return nil }
        return AudiblePosition(itemID: current.item.id, position: place.position, rate: rate, at: reading.sampledAt)
    }

    /// Seconds; the ring holds too little for a larger shift.
    static let largestShift = 0.5

    mutating func shift(by seconds: Double) {
        guard case .play = goal, seek == nil, scan == nil, prebuffering == nil, seconds.isFinite,
            case .open(let generation, let format, .running) = stream.state
        else { return }
        let bounded = min(max(seconds, -Self.largestShift), Self.largestShift)
        let frames = FrameCount(clamping: (bounded * Double(format.sampleRate)).rounded())
        actions.append(.output(.stream(.shift(by: frames), generation)))
    }
}
