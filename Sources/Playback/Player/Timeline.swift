// SPDX-License-Identifier: Apache-2.0

internal import Audio

/// Which part of which item each stretch of the ring holds: how "heard at ring index n" becomes a position.
struct Timeline {
    /// A stretch of consecutive frames of one run of one item.
    struct Segment: Equatable {
        var generation: Generation
        var run: DecodeRun
        /// Ring index of its first frame.
        var start: FrameCount
        /// Seconds into the media at `start`.
        var position: Double
        var pace: Pace
        /// Ring index after its last frame that can be heard; nil while it grows or the next segment follows at once.
        var end: FrameCount?
    }

    /// How the frames of a segment follow the media.
    enum Pace: Equatable {
        /// All of it is heard, so many media seconds per second.
        case played(Double)
        /// A block of a scan; the scan as a whole has this rate.
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

    /// Frames that are written but not heard will not be heard: the ring was cut.
    mutating func cut() {
        segments.removeAll { $0.start > heard }
        if !segments.isEmpty { segments[segments.count - 1].end = heard }
    }

    /// The frames from `index` on were replaced.
    mutating func drop(from index: FrameCount) { segments.removeAll { $0.start >= index } }

    /// The last segment; nil behind a cut.
    var last: Segment? { segments.last.flatMap { $0.end == nil ? $0 : nil } }

    /// What follows belongs to no item.
    mutating func end(at index: FrameCount) {
        if !segments.isEmpty { segments[segments.count - 1].end = index }
    }

    /// Moves on to what the sink plays now; never backwards. Returns the seconds heard since the last call, by item.
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

    /// Ring index at which the next segment is heard that is no block of a scan.
    var nextStart: FrameCount? { segments.first { $0.start > heard && $0.pace.isPlayed }?.start }

    /// Whether the run has no frame before `end`: a seek to the very end, or an item without a frame.
    func isEmpty(_ generation: Generation, _ run: DecodeRun, end: FrameCount) -> Bool {
        // The last one alone may be empty: the block of a scan that has reached the end.
        let first = segments.first { $0.generation == generation && $0.run == run }
        return first.map { $0.start >= end } ?? false
    }

    /// The item heard at the index reached; nil before the first segment.
    var place: Place? {
        guard let segment = segments.first, segment.start <= heard else { return nil }
        let frames = min(heard, segment.end ?? heard) - segment.start
        return Place(segment: segment, position: segment.position + Double(frames) / sampleRate * segment.pace.rate)
    }
}
