// SPDX-License-Identifier: Apache-2.0

internal import Audio
public import Kernel

/// What is heard at one moment, exact to what the sink knows of its own clock.
public struct AudiblePosition: Hashable, Sendable {
    public var itemID: ItemID
    /// Seconds into the item.
    public var position: Double
    /// Media seconds per second.
    public var rate = 1.0
    public var at: MonotonicTime

    public func position(at time: MonotonicTime) -> Double { position + time.seconds(since: at) * rate }

    /// Seconds by which this place is heard ahead of `other`, both at the same rate.
    public func ahead(of other: AudiblePosition) -> Double {
        (position - other.position) / rate - at.seconds(since: other.at)
    }
}

extension PlayerCore {
    /// nil unless the current item is played, and between two items.
    func audiblePosition(_ reading: OutputClock) -> AudiblePosition? {
        guard reading.isAdvancing, status == .playing, seek == nil, scan == nil, let current else { return nil }
        var timeline = stream.timeline
        _ = timeline.advance(to: reading.ringIndex)
        guard let place = timeline.place, current.holds(place.segment),
            case .played(let rate) = place.segment.pace
        else { return nil }
        return AudiblePosition(itemID: current.item.id, position: place.position, rate: rate, at: reading.sampledAt)
    }

    /// Too little is at hand for more.
    static let largestShift = 0.5

    mutating func shift(by seconds: Double) {
        guard case .play = goal, seek == nil, scan == nil, gathering == nil, seconds.isFinite,
            case .open(let generation, let format, .running) = stream.state
        else { return }
        let bounded = min(max(seconds, -Self.largestShift), Self.largestShift)
        let frames = FrameCount(clamping: (bounded * Double(format.sampleRate)).rounded())
        actions.append(.output(.stream(.shift(by: frames), generation)))
    }
}
