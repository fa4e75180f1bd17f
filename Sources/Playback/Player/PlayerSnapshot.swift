// SPDX-License-Identifier: Apache-2.0

public import Kernel

/// The player's complete visible state at one version; immutable, readable from any thread.
public struct PlayerSnapshot: Sendable {
    /// Increases with every change of the snapshot, except for the passing of time.
    public var version: UInt64 = 0
    public var status = PlayerStatus.idle
    public var reason: StatusReason?
    /// The user wants sound; also true while the player loads, buffers or seeks.
    public var playWhenReady = false
    public var item: CurrentItem?
    public var clock = PositionClock()
    /// The tempo at which the current item plays or would play.
    public var tempo = Tempo.normal
    /// The crossfade in force, in seconds.
    public var crossfade = 0.0
    /// Seconds of the current item that will overlap the next one, once known.
    public var overlap = 0.0
    /// The gain of a sleep timer's fade or an alarm's rise.
    var fade = GainRamp()
    /// The current item is about to end, and nothing follows it.
    public var isLast = false
    public var settings = PlayerSettings()
    public var queueLength = 0
    public var queueRevision: QueueRevision = 0
    /// Above the number of every item in the queue.
    public var nextItemNumber: UInt64 = 1
    public var output = OutputStatus()
    /// The last failure: an item's until another item becomes current without one, an output's until there is sound.
    public var error: PlaybackError?
    public var canUndo = false
    public var canRedo = false
    public var statistics = PlayerStatistics()
    /// The loaded part of the current item; nil for local media.
    public var loaded: LoadedTime?
    /// The reason why the state cannot be saved; nil while it can.
    public var saveFailure: String?
    /// The numbers of the ids that an edit gave to new items, in their order. Only set in the reply to the edit.
    public var insertedItems: Range<UInt64>?

    public init() {}
}

/// The current item and the facts about its media.
public struct CurrentItem: Sendable {
    public var item: QueueItem
    public var index: Int
    /// nil until the item is open.
    public var media: MediaDescription?
    /// Seconds; nil while unknown.
    public var duration: Double?
    /// The item's last failure.
    public var error: PlaybackError?

    public init(item: QueueItem, index: Int) {
        self.item = item
        self.index = index
    }
}

/// The position: a reading of the sink's clock, from which the position at any later moment follows.
public struct PositionClock: Hashable, Sendable {
    /// The audible position in seconds at `sampledAt`.
    public var position = 0.0
    /// Media seconds per second: 0 unless sound advances.
    public var rate = 0.0
    /// Seconds of the item that were heard until `sampledAt` (seeks do not count).
    public var listenedTime = 0.0
    public var sampledAt = MonotonicTime(nanoseconds: 0)
    /// The upper bound for extrapolation.
    public var duration: Double?
    /// The lower bound: the position that followed from the reading before. A sink that stood still in between is behind it;
    /// the position stands until the sink arrives there.
    public var reached = 0.0
    /// Counts jumps: seeks, underruns, item changes, long standstills of the sink.
    public var discontinuity: UInt64 = 0
    /// Seconds from the ring to the ear.
    public var latency = 0.0

    public init() {}

    /// Seconds into the item at `time`, within 0...duration. Take the time before the snapshot: the next reading continues this one
    /// until its publication.
    public func position(at time: MonotonicTime) -> Double {
        let moved = position + max(0, time.seconds(since: sampledAt)) * rate
        return min(max(0, reached, moved), duration ?? .infinity)
    }

    public func listenedTime(at time: MonotonicTime) -> Double {
        rate == 0 ? listenedTime : listenedTime + max(0, time.seconds(since: sampledAt))
    }
}

public struct OutputStatus: Hashable, Sendable {
    public var availability = OutputAvailability.available
    public var devices = OutputDevices()
    /// The chosen or configured device, while it is unavailable.
    public var missing: String?
    public var isSuspended = false
    /// The sound server lowers our stream for another one.
    public var isDucked = false
    /// The format of the open stream; nil without one.
    public var sampleRate: Int?
    public var channelCount: Int?

    public init() {}
}

/// Counters since the start of the server.
public struct PlayerStatistics: Hashable, Sendable {
    public var underruns: UInt64 = 0
    public var decodeErrors: UInt64 = 0
    /// Items of which at least one frame was heard.
    public var itemsStarted: UInt64 = 0
    public var itemsFailed: UInt64 = 0
    /// Seconds of decoded sound between the decoder and the sink.
    public var bufferedAhead = 0.0
    /// Seconds spent in decoders, including waits for their sources.
    public var decodeSeconds = 0.0
}

/// A part of the queue at one revision.
public struct QueueWindow: Sendable {
    public var revision: QueueRevision
    /// The length of the whole queue.
    public var length: Int
    public var currentIndex: Int?
    /// The index of the first item of `items`.
    public var offset: Int
    public var items: [QueueItem]

    public init(revision: QueueRevision, length: Int, currentIndex: Int?, offset: Int, items: [QueueItem]) {
        self.revision = revision
        self.length = length
        self.currentIndex = currentIndex
        self.offset = offset
        self.items = items
    }
}
