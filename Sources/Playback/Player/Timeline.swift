// SPDX-License-Identifier: Apache-2.0

internal import Audio

/// Maps ring indices to positions in media: each segment of the ring holds a part of one item.
struct Timeline {
    /// Consecutive frames of one run of one item.
    struct Segment: Equatable {
        var generation: Generation
        var run: DecodeRun
        /// Ring index of its first frame.
        var start: FrameCount
        /// Seconds into the media at `start`.
        var position: Double
        var pace: Pace
        /// Ring index after its last audible frame; nil while it grows, or if the next segment follows directly.
        var end: FrameCount?
    }

    /// The advance of a segment's frames through the media.
    enum Pace: Equatable {
        /// Every frame is played, at this many media seconds per second.
        case played(Double)
        /// A block of a scan that advances at this rate as a whole.
        case scan(Double)

        /// Media seconds per second.
        var rate: Double {
            switch self {
            case .played(let rate), .scan(let rate): rate
            }
        }

        var isPlayed: Bool {
            if case .played = self { true } else { false }
        }
    }

    struct Place: Equatable {
        var segment: Segment
        var position: Double
    }

    private(set) var segments: [Segment] = []
    private(set) var heard: FrameCount = 0
    let sampleRate: Double

    init(sampleRate: Int) {
        self.sampleRate = Double(sampleRate)
    }

    mutating func append(_ segment: Segment) {
        segments.append(segment)
    }

    /// The ring was cut: frames that are written but not heard are dropped.
    mutating func cut() {
        segments.removeAll { $0.start > heard }
        if !segments.isEmpty { segments[segments.count - 1].end = heard }
    }

    /// Frames from `index` on were replaced.
    mutating func drop(from index: FrameCount) { segments.removeAll { $0.start >= index } }

    /// The last segment; nil after a cut.
    var last: Segment? { segments.last.flatMap { $0.end == nil ? $0 : nil } }

    /// Ends the last segment: the frames from `index` on belong to no item.
    mutating func end(at index: FrameCount) {
        if !segments.isEmpty { segments[segments.count - 1].end = index }
    }

    /// Advances to the sink's index, never backwards. Returns the seconds heard since the last call, by item.
    mutating func advance(to ringIndex: FrameCount) -> [(generation: Generation, seconds: Double)] {
        guard ringIndex > heard else { return [] }
        var spent: [(generation: Generation, seconds: Double)] = []
        for (index, segment) in segments.enumerated() {
            let next = index + 1 < segments.count ? segments[index + 1].start : .max
            let frames = min(ringIndex, segment.end ?? next, next) - max(heard, segment.start)
            if frames > 0 { spent.append((segment.generation, Double(frames) / sampleRate)) }
        }
        heard = ringIndex
        if let now = segments.lastIndex(where: { $0.start <= ringIndex }), now > 0 {
            segments.removeFirst(now)
        }
        return spent
    }

    /// Start of the next segment that is not a block of a scan.
    var nextStart: FrameCount? { segments.first { $0.start > heard && $0.pace.isPlayed }?.start }

    /// True if the run has no frame before `end`: after a seek to the very end, or in an empty item.
    func isEmpty(_ generation: Generation, _ run: DecodeRun, end: FrameCount) -> Bool {
        // A later segment may be empty: the block of a scan that reached the end.
        let first = segments.first { $0.generation == generation && $0.run == run }
        return first.map { $0.start >= end } ?? false
    }

    /// The audible place; nil before the first segment.
    var place: Place? {
        guard let segment = segments.first, segment.start <= heard else { return nil }
        let frames = min(heard, segment.end ?? heard) - segment.start
        return Place(segment: segment, position: segment.position + Double(frames) / sampleRate * segment.pace.rate)
    }
}
