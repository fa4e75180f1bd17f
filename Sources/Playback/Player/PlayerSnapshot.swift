// SPDX-License-Identifier: Apache-2.0

public import Kernel

/// The player's whole visible state at one version; immutable, readable from any thread.
public struct PlayerSnapshot: Sendable {
    /// Rises with every change of anything in here but the running of time.
    public var version: UInt64 = 0
    public var status = PlayerStatus.idle
    public var reason: StatusReason?
    /// The user wants sound: true while loading, buffering or seeking towards it as well.
    public var playWhenReady = false
    public var item: CurrentItem?
    public var clock = PositionClock()
    /// Of the current item, as it is played or would be.
    public var tempo = Tempo.normal
    /// Seconds between items that follow each other, as they are played.
    public var crossfade = 0.0
    /// Seconds of the current item that will be heard under the next one, once that is known.
    public var overlap = 0.0
    /// Nothing is heard after the current item, which is about to end.
    public var isLast = false
    public var settings = PlayerSettings()
    public var queueLength = 0
    public var queueRevision: QueueRevision = 0
    /// No item of the queue has this number, or a higher one.
    public var nextItemNumber: UInt64 = 1
    public var output = OutputStatus()
    /// The last failure: of an item until another one becomes current without one, of the output until there is sound.
    public var error: PlaybackError?
    /// Undone and redone edits are possible.
    public var canUndo = false
    public var canRedo = false
    public var statistics = PlayerStatistics()
    /// The loaded part of the current item; nil for local media.
    public var loaded: LoadedTime?
    /// Why the state cannot be saved at present; nil while it can.
    public var saveFailure: String?
    /// Numbers of the ids that an edit gave to new items, in their order; only in the snapshot that replies to it.
    public var insertedItems: Range<UInt64>?

    public init() {}
}

/// The item that is heard or about to be, with what is known of its media.
public struct CurrentItem: Sendable {
    public var item: QueueItem
    public var index: Int
    /// nil until it is open.
    public var media: MediaDescription?
    /// Seconds; nil while unknown.
    public var duration: Double?
    /// The last failure of this item.
    public var error: PlaybackError?

    public init(item: QueueItem, index: Int) {
        self.item = item
        self.index = index
    }
}

/// Where the music is: a reading of the sink's clock from which any later moment follows.
public struct PositionClock: Hashable, Sendable {
    /// Seconds into the item at `sampledAt`, as heard.
    public var position = 0.0
    /// Media seconds per second: 0 unless sound advances.
    public var rate = 0.0
    /// Seconds of this item that were really heard at `sampledAt` (seeks do not count).
    public var listenedTime = 0.0
    public var sampledAt = MonotonicTime(nanoseconds: 0)
    /// Upper bound for extrapolation.
    public var duration: Double?
    /// Counts jumps: seeks, underruns, item changes.
    public var discontinuity: UInt64 = 0
    /// Seconds from the ring to the ear.
    public var latency = 0.0

    public init() {}

    /// Seconds into the item at `time`, within 0...duration.
    public func position(at time: MonotonicTime) -> Double {
        let moved = position + max(0, time.seconds(since: sampledAt)) * rate
        return min(max(0, moved), duration ?? .infinity)
    }

    public func listenedTime(at time: MonotonicTime) -> Double {
        rate == 0 ? listenedTime : listenedTime + max(0, time.seconds(since: sampledAt))
    }
}

public struct OutputStatus: Hashable, Sendable {
    public var availability = OutputAvailability.available
    public var devices = OutputDevices()
    /// The chosen or configured device, while it is not there.
    public var missing: String?
    public var isSuspended = false
    /// The sound server plays us more quietly than we ask for, for another stream's sake.
    public var isDucked = false
    /// Shape of the running stream; nil when there is none.
    public var sampleRate: Int?
    public var channelCount: Int?

    public init() {}
}

/// Counters since the start of the server.
public struct PlayerStatistics: Hashable, Sendable {
    public var underruns: UInt64 = 0
    public var decodeErrors: UInt64 = 0
    /// Of which something was heard.
    public var itemsStarted: UInt64 = 0
    public var itemsFailed: UInt64 = 0
    /// Seconds of decoded sound between the decoder and the sink.
    public var bufferedAhead = 0.0
    /// Seconds that decoders have taken, with what they waited for their sources.
    public var decodeSeconds = 0.0

    public init() {}
}

/// A part of the queue at one revision.
public struct QueueWindow: Sendable {
    public var revision: QueueRevision
    /// Of the whole queue.
    public var length: Int
    public var currentIndex: Int?
    /// Index of the first of `items`.
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
