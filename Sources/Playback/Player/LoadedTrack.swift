// SPDX-License-Identifier: Apache-2.0

internal import Audio
internal import Kernel

/// Numbers the places from which one item was decoded: a seek begins a new run; what older ones report is dropped.
struct DecodeRun: Hashable, Comparable {
    var number: UInt32 = 0

    static func < (left: DecodeRun, right: DecodeRun) -> Bool { left.number < right.number }
}

/// An item that is loaded for playing: the current one, or the one that follows it.
struct LoadedTrack {
    enum Stage {
        /// Opening the media, or moving to another place in it.
        case opening(since: MonotonicTime)
        /// The first frames of the run are decoded; waits for the ring.
        case primed
        /// Writes into the ring.
        case feeding
        /// All of it is decoded. Its last frames, which would fill the ring up to `end`, are held back for the next item.
        case held(HeldTail, end: FrameCount)
        /// Its last frame is in the ring, before this index.
        case written(end: FrameCount)
        /// A live stream that is not heard: its connection was given up.
        case left
        /// What it had written (up to `end`) may still be heard.
        case failed(PlaybackError, end: FrameCount?)
    }

    struct Splice {
        /// In the ring, where both runs have the same media position.
        var index: FrameCount
        /// Media seconds per second before it.
        var rate: Double
        /// Behind the frames that are there.
        var end: FrameCount
    }

    var item: QueueItem
    let generation: Generation
    var stage: Stage
    var run = DecodeRun()
    /// The runs since the last seek: splices connect them.
    var firstRun = DecodeRun()
    /// Until the frames of the latest run replace older ones, which sound meanwhile.
    var splice: Splice?
    var media: MediaDescription?
    /// nil for local media.
    var loading: MediaLoading?
    /// At which `loading` grows.
    var pace = LoadingPace()
    /// When its connection left the sink without frames, lately.
    var dryTimes: [MonotonicTime] = []
    let loadedAt: MonotonicTime
    /// Seconds; what the position is until something is heard.
    var startPosition: Double
    var primedAt: MonotonicTime?
    /// Of a live stream: what is to be reported once the frame with this ring index is heard, in order.
    var programmes: [(start: FrameCount, broadcast: Broadcast?)] = []
    /// Of what it writes into the ring.
    var tempo = Tempo.normal
    /// Seconds of its end that are held back.
    var held = 0.0
    /// `crossfade` when it was written over the end of the item before; nil when it was not.
    var crossfade: Double?
    /// Media seconds of its end that are heard under the next item.
    var overlapped = 0.0
    /// Ring index behind the silence after its last frame, in which the effects die away; nil: there is none.
    var decayEnd: FrameCount?
    /// Seconds of it that were heard.
    var listened = 0.0

    init(item: QueueItem, generation: Generation, startPosition: Double, now: MonotonicTime) {
        self.item = item
        self.generation = generation
        self.startPosition = startPosition
        self.stage = .opening(since: now)
        loadedAt = now
    }

    /// Frames of it may be in the ring.
    var isFed: Bool {
        if splice != nil { return true }
        return switch stage {
        case .feeding, .held, .written: true
        case .failed(_, let end): end != nil
        case .opening, .primed, .left: false
        }
    }

    /// Ring index behind its last frame that is heard while it is the current item, once known.
    var writtenEnd: FrameCount? {
        switch stage {
        case .held(_, let end), .written(let end): end
        case .failed(_, let end): end
        case .opening, .primed, .feeding, .left: nil
        }
    }

    /// Nothing of it will be written any more.
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

    /// What it had written, up to `end` or before a splice, may still be heard.
    mutating func fail(_ error: PlaybackError, end: FrameCount? = nil) {
        stage = .failed(error, end: end ?? splice?.end)
        splice = nil
    }

    /// The segment is of this track, from where it was last sought to.
    func holds(_ segment: Timeline.Segment) -> Bool {
        segment.generation == generation && firstRun <= segment.run && segment.run <= run
    }

    var duration: Double? {
        media.flatMap { media in media.duration.map { media.format.seconds($0) } }
    }

    /// What is known of the media is known at once; what a station plays is reported when it is heard.
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
