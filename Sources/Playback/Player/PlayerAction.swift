// SPDX-License-Identifier: Apache-2.0

internal import Audio

/// Actions that the player's loop performs, in order. The core itself has no side effects.
enum PlayerAction {
    // Decoding.
    case load(Generation, QueueItem, DecodeStart)
    /// Moves to another place. The frames that the item has written stay in the ring.
    case reposition(Generation, DecodeRun, DecodeStart)
    /// Grants the ring of the open stream to this item, and to no other.
    case feed(Generation, Feed)
    /// Holds back the last seconds of the item, so that the next item can be mixed over them.
    case hold(Generation, seconds: Double)
    case unload(Generation)
    /// Ends writing in the middle of an item: the last frames in the ring fade out.
    case cutFading

    // Output.
    case output(OutputCommand)
    /// Cuts the ring and drops the frames that were not heard. `fade`: seconds.
    case flushStream(Generation, fade: Double = 0)

    // The world.
    case emit(PlayerEvent.Kind)
    case save(SavedChange)
    /// A command of the player itself. It is queued like those of clients.
    case request(PlayerCommand)
    case reply(CommandToken, CommandOutcome)
}

/// The result of a command.
enum CommandOutcome {
    /// `inserted`: the numbers of the ids that new items received.
    case done(inserted: Range<UInt64>?)
    case failed(PlaybackError)
}

/// Identifies a command until it is answered.
struct CommandToken: Hashable {
    var number: UInt64
}

/// The place and the manner in which decoding starts.
struct DecodeStart: Equatable {
    enum Place: Equatable {
        /// Clamped to the item's length.
        case seconds(Double)
        /// 0...1 of the duration.
        case progress(Double)
    }

    var place: Place
    /// Media seconds before the place at which decoding starts: a stretcher needs them to settle.
    var lead = 0.0
    /// The rate of a scan, which plays short blocks and skips the rest. nil plays everything.
    var scan: Double?
    /// Number of repetitions, each from `beginTime` (seconds); -1: endless.
    var loops = 0
    var beginTime = 0.0
    /// Repeats this part instead.
    var part: ABLoop?
}

/// The manner in which an item is written into the ring.
struct Feed: Sendable {
    var tempo: Tempo
    /// Frames of silence before the first one.
    var silence: FrameCount = 0
    /// The end of the previous item, over which this item is mixed.
    var over: Overlap?
    /// The frames in the ring cross over into this item there.
    var splice: RingSplicing.Start?
    /// If not 0: write only this many frames of silence, after the item's last frame.
    var decay: FrameCount = 0
}

/// Reports of one item's decode thread.
enum DecodeEvent {
    case opened(MediaDescription)
    /// The first frames from `position` (seconds) on are decoded.
    case primed(DecodeRun, position: Double)
    /// From ring index `start` on, the ring holds the media from `position` (seconds) on.
    case wrote(DecodeRun, start: FrameCount, position: Double, Timeline.Pace)
    /// `start`: ring index of the first frame with this description; nil for all frames.
    case mediaChanged(MediaDescription, start: FrameCount?)
    /// More data has arrived over the network, or loading has ended.
    case loading(MediaLoading)
    /// A splice for the output to perform.
    case splice(DecodeRun, RingSplice)
    /// The item has ended. Its last frames are held back; with them the ring would be written up to `end`.
    case held(DecodeRun, HeldTail, end: FrameCount)
    /// The last frame is in the ring. `end` is the index after it.
    case ended(DecodeRun, end: FrameCount)
    /// `end`: ring index after the written frames; nil if none was written.
    case failed(DecodeRun, MediaError, end: FrameCount?)
}
