// SPDX-License-Identifier: Apache-2.0

internal import Audio

/// Actions for the player's loop, performed in order. The player itself does nothing.
enum PlayerAction {
    // Decoding.
    case load(Generation, QueueItem, DecodeStart)
    /// What it has written so far stays in the ring.
    case reposition(Generation, DecodeRun, DecodeStart)
    /// Lets the item write into the ring of the open stream, and no other any more.
    case feed(Generation, Feed)
    /// So many seconds of the item's end are held back for the next one to be mixed over.
    case hold(Generation, seconds: Double)
    case unload(Generation)
    /// Nobody writes into the ring any more, in the middle of an item: its last frames fade out.
    case cutFading

    // Output.
    case output(OutputCommand)
    /// Cuts the ring and drops what was not heard. `fade`: seconds.
    case flushStream(Generation, fade: Double = 0)

    // The world.
    case emit(PlayerEvent.Kind)
    case save(SavedChange)
    /// A command of the player's own, which takes its turn among those of clients.
    case request(PlayerCommand)
    case reply(CommandToken, CommandOutcome)
}

/// How a command ended.
enum CommandOutcome {
    /// With the numbers of the ids that it gave to new items.
    case done(inserted: Range<UInt64>?)
    case failed(PlaybackError)
}

/// Names one command until it is answered.
struct CommandToken: Hashable {
    var number: UInt64
}

/// Where and how decoding begins.
struct DecodeStart: Equatable {
    enum Place: Equatable {
        /// Clamped to the media's length.
        case seconds(Double)
        /// 0...1 of the duration.
        case progress(Double)
    }

    var place: Place
    /// Media seconds before the place from which on a stretcher runs, so that its sound does not begin at the place.
    var lead = 0.0
    /// The rate of a scan: short blocks are played, the rest is skipped. nil: all is played.
    var scan: Double?
    /// Times that the item begins anew, at `beginTime` (seconds); -1: without end.
    var loops = 0
    var beginTime = 0.0
    /// This part is repeated instead.
    var part: ABLoop?
}

/// How an item is written into the ring.
struct Feed: Sendable {
    var tempo: Tempo
    /// Frames before its first one.
    var silence: FrameCount = 0
    /// The end of the item before, over which it begins.
    var over: Overlap?
    /// What the ring holds goes over into it there.
    var splice: RingSplicing.Start?
    /// Nothing but so many frames of silence, behind its last one.
    var decay: FrameCount = 0
}

/// Reports of a decode thread, of one item.
enum DecodeEvent {
    case opened(MediaDescription)
    /// The first frames from `position` (seconds) on are decoded.
    case primed(DecodeRun, position: Double)
    /// From ring index `start` on, the ring holds the media from `position` seconds on.
    case wrote(DecodeRun, start: FrameCount, position: Double, Timeline.Pace)
    /// `start`: ring index of the first frame that it holds for; nil for all.
    case mediaChanged(MediaDescription, start: FrameCount?)
    /// More of it has come over the network, or nothing more comes.
    case loading(MediaLoading)
    /// For the output.
    case splice(DecodeRun, RingSplice)
    /// The media is over; its last frames are not in the ring yet, which they would fill up to `end`.
    case held(DecodeRun, HeldTail, end: FrameCount)
    /// The last frame is in the ring, before `end`.
    case ended(DecodeRun, end: FrameCount)
    /// `end`: ring index behind what was written; nil when the ring was never entered.
    case failed(DecodeRun, MediaError, end: FrameCount?)
}
