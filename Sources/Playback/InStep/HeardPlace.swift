// SPDX-License-Identifier: Apache-2.0

internal import Audio
public import Threading
internal import Numbers

/// What is heard at one moment, exact to what the sink knows of its own clock.
public struct HeardPlace: Hashable, Sendable {
    public var itemID: ItemID
    /// Seconds into the item.
    public var position: Double
    public var at: MonotonicTime

    public init(itemID: ItemID, position: Double, at time: MonotonicTime) {
        self.itemID = itemID
        self.position = position
        self.at = time
    }

    /// Seconds by which this place is ahead of `other`, both being heard at normal speed.
    public func ahead(of other: HeardPlace) -> Double {
        position - other.position - at.seconds(since: other.at)
    }
}

extension PlayerCore {
    /// nil unless the current item advances at normal speed, and between two items.
    func heardPlace(_ reading: OutputClock) -> HeardPlace? {
        guard reading.isAdvancing, status == .playing, seek == nil, scan == nil, let current else { return nil }
        var timeline = timeline
        _ = timeline.advance(to: reading.ringIndex)
        guard let place = timeline.place, place.segment.generation == current.generation,
            place.segment.run == current.run, place.segment.speed == 1
        else { return nil }
        return HeardPlace(itemID: current.item.id, position: place.position, at: reading.sampledAt)
    }

    /// Too little is at hand for more.
    static let largestShift = 0.5

    mutating func shift(by seconds: Double) {
        guard case .play = goal, seek == nil, scan == nil, gathering == nil, seconds.isFinite,
            case .open(let generation, let format, .running) = stream
        else { return }
        let bounded = min(max(seconds, -Self.largestShift), Self.largestShift)
        actions.append(
            .shiftStream(generation, frames: FrameCount(clamping: (bounded * Double(format.sampleRate)).rounded())))
    }
}
