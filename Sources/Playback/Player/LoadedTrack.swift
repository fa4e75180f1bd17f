// SPDX-License-Identifier: Apache-2.0

internal import Audio
internal import Kernel

/// Numbers the decode runs of one item: a seek starts a new run, and reports of older runs are dropped.
struct DecodeRun: Hashable, Comparable {
    var number: UInt32 = 0

    static func < (left: DecodeRun, right: DecodeRun) -> Bool { left.number < right.number }
}

/// A loaded item: the current one, or one that follows it.
struct LoadedTrack {
    enum Stage {
        /// Opening the media, or seeking in it.
        case opening(since: MonotonicTime)
        /// The first frames of the run are decoded and wait for the ring.
        case primed
        /// Writes into the ring.
        case feeding
        /// Decoded to its end. The last frames, which would fill the ring up to `end`, are held back for the next item.
        case held(HeldTail, end: FrameCount)
        /// The last frame is in the ring, before `end`.
        case written(end: FrameCount)
        /// A silent live stream whose connection was closed.
        case disconnected
        /// The frames written before `end` may still be heard.
        case failed(PlaybackError, end: FrameCount?)
    }

    struct Splice {
        /// The ring index at which both runs have the same media position.
        var index: FrameCount
        /// Media seconds per second before the splice.
        var rate: Double
        /// The ring index after the frames of the older run.
        var end: FrameCount
    }

    var item: QueueItem
    let generation: Generation
    var stage: Stage
    var run = DecodeRun()
    /// The first run since the last seek: splices connect the runs from this one on.
    var firstRun = DecodeRun()
    /// Set until the frames of the latest run replace older ones, which sound meanwhile.
    var splice: Splice?
    var media: MediaDescription?
    /// nil for local media.
    var loading: MediaLoading?
    /// The rate at which `loading` grows.
    var pace = LoadingPace()
    /// Recent times at which the connection left the sink without frames.
    var dryTimes: [MonotonicTime] = []
    let loadedAt: MonotonicTime
    /// Seconds; the position until something is heard.
    var startPosition: Double
    var primedAt: MonotonicTime?
    /// Programmes of a live stream, in order, each to be reported when the frame with this ring index is heard.
    var programmes: [(start: FrameCount, broadcast: Broadcast?)] = []
    /// The tempo of the frames that it writes into the ring.
    var tempo = Tempo.normal
    /// Seconds of its end that are held back for the next item.
    var held = 0.0
    /// The value of `crossfade` when it was mixed over the previous item; nil if it was not.
    var crossfade: Double?
    /// Media seconds of its end that overlap the next item.
    var overlapped = 0.0
    /// Ring index after the silence in which the effects decay; nil without one.
    var decayEnd: FrameCount?
    /// Seconds that were heard.
    var listened = 0.0

    init(item: QueueItem, generation: Generation, startPosition: Double, now: MonotonicTime) {
        self.item = item
        self.generation = generation
        self.startPosition = startPosition
        self.stage = .opening(since: now)
        loadedAt = now
    }

    /// The ring may hold frames of the item.
    var isFed: Bool {
        if splice != nil { return true }
        return switch stage {
        case .feeding, .held, .written: true
        case .failed(_, let end): end != nil
        case .opening, .primed, .disconnected: false
        }
    }

    /// Ring index after the last frame that is heard while it is the current item, once known.
    var writtenEnd: FrameCount? {
        switch stage {
        case .held(_, let end), .written(let end): end
        case .failed(_, let end): end
        case .opening, .primed, .feeding, .disconnected: nil
        }
    }

    /// No more frames will be written.
    var isWritten: Bool {
        if case .held = stage { false } else { writtenEnd != nil }
    }

    var failure: PlaybackError? {
        if case .failed(let error, _) = stage { error } else { nil }
    }

    var isOpening: Bool {
        if case .opening = stage { true } else { false }
    }

    var isLive: Bool { media?.broadcast != nil }

    var map: LoadedMap? { media.flatMap { media in loading.flatMap { LoadedMap(media, $0) } } }

    /// Frames that were written before `end`, or before a splice, may still be heard.
    mutating func fail(_ error: PlaybackError, end: FrameCount? = nil) {
        stage = .failed(error, end: end ?? splice?.end)
        splice = nil
    }

    /// The segment belongs to this track, since its last seek.
    func holds(_ segment: Timeline.Segment) -> Bool {
        segment.generation == generation && firstRun <= segment.run && segment.run <= run
    }

    var duration: Double? { media?.durationInSeconds }

    /// A new description applies at once, except for the programme of a station, which applies when it is heard.
    mutating func update(_ new: MediaDescription, from start: FrameCount?) {
        guard let start, let media else {
            media = new
            programmes = []
            return
        }
        let known = programmes.last.map(\.broadcast) ?? media.broadcast
        if new.broadcast != known { programmes.append((start, new.broadcast)) }
        self.media = new
        self.media?.broadcast = media.broadcast
    }
}
