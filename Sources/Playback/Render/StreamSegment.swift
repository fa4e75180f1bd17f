// SPDX-License-Identifier: Apache-2.0

public import Audio

/// Frames that are as consecutive in the stream as in the ring.
public struct StreamSegment: BitwiseCopyable, Hashable, Sendable {
    /// The stream index: frames that the server has counted since the stream was created.
    public var start: FrameCount
    public var frames: FrameCount
    public var ringStart: FrameCount

    public var end: FrameCount {
        @_noLocks @_noAllocation get { start + frames }
    }

    @_noLocks @_noAllocation
    public init(start: FrameCount, frames: FrameCount, ringStart: FrameCount) {
        self.start = start
        self.frames = frames
        self.ringStart = ringStart
    }
}

/// Maps stream indices to ring frames. Between the segments the sink plays silence.
///
/// Holds the last few segments: a segment lives as long as the server's queue (a fraction of a second), and is created
/// only by a flush, pause or underrun. An index before the oldest segment maps to its start.
public struct SegmentMap: BitwiseCopyable, Sendable {
    public static var capacity: Int {
        @_noLocks @_noAllocation get { 6 }
    }

    public private(set) var segments = InlineArray<6, StreamSegment>(
        repeating: StreamSegment(start: 0, frames: 0, ringStart: 0))
    public private(set) var count = 0

    public init() {}

    public struct Place: Hashable {
        public var ringIndex: FrameCount
        /// True if the ring index increases with the stream index here.
        public var isInside: Bool
        /// The stream index at which `isInside` changes next; nil if not known yet.
        public var boundary: FrameCount?
    }

    public var last: StreamSegment {
        @_noLocks @_noAllocation get { segments[count - 1] }
    }

    public subscript(position: Int) -> StreamSegment {
        @_noLocks @_noAllocation get { segments[position] }
    }

    /// Removes segments that have not started before the new one: they never sound.
    @_noLocks @_noAllocation
    public mutating func append(_ segment: StreamSegment) {
        while count > 0, segments[count - 1].start >= segment.start { count -= 1 }
        if count == Self.capacity {
            for position in 1..<Self.capacity { segments[position - 1] = segments[position] }
            count -= 1
        }
        segments[count] = segment
        count += 1
    }

    @_noLocks @_noAllocation
    public mutating func setLastFrames(_ frames: FrameCount) {
        segments[count - 1].frames = frames
    }

    /// A pause between two segments lies within the given stream indices.
    public func hasSilence(from first: FrameCount, to last: FrameCount) -> Bool {
        (1..<max(1, count)).contains { position in
            let (end, start) = (segments[position - 1].end, segments[position].start)
            return first <= end && end < start && start <= last
        }
    }

    @_noLocks @_noAllocation
    public func place(at index: FrameCount) -> Place {
        var position = count - 1
        while position > 0, segments[position].start > index { position -= 1 }
        guard position >= 0 else { return Place(ringIndex: 0, isInside: false, boundary: nil) }
        let segment = segments[position]
        if index < segment.start {
            return Place(ringIndex: segment.ringStart, isInside: false, boundary: segment.start)
        }
        let limit = position + 1 < count ? min(segment.end, segments[position + 1].start) : segment.end
        if index < limit {
            return Place(ringIndex: segment.ringStart + index - segment.start, isInside: true, boundary: limit)
        }
        let next = position + 1 < count ? segments[position + 1].start : nil
        return Place(ringIndex: segment.ringStart + limit - segment.start, isInside: false, boundary: next)
    }
}
