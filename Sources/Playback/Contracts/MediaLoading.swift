// SPDX-License-Identifier: Apache-2.0

/// The loaded part of network media. Reported while it is opened and played, a few times a second at most.
public struct MediaLoading: Hashable, Sendable {
    /// Bytes that are at hand, in order, apart from each other.
    public var ranges: [Range<Int64>]
    /// Bytes in all; nil while unknown.
    public var size: Int64?
    /// The byte that is read next.
    public var place: Int64
    /// 0 while nothing is being loaded.
    public var bytesPerSecond: Double
    /// More is wanted and nothing comes.
    public var isStalled: Bool
    /// No more comes before some of it is played: all of it is there, or there is no room.
    public var isSatisfied: Bool
    /// Of an HLS stream, whose bytes do not show time: `ranges`, `size` and `place` count so many a second of it.
    public var unitsPerSecond: Double?

    public init(
        ranges: [Range<Int64>] = [], size: Int64? = nil, place: Int64 = 0, bytesPerSecond: Double = 0,
        isStalled: Bool = false, isSatisfied: Bool = false
    ) {
        self.ranges = ranges
        self.size = size
        self.place = place
        self.bytesPerSecond = bytesPerSecond
        self.isStalled = isStalled
        self.isSatisfied = isSatisfied
    }

    /// Bytes that can be read from `place` on without waiting.
    public var bytesAhead: Int64 {
        ranges.first { $0.contains(place) }.map { $0.upperBound - place } ?? 0
    }
}
