// SPDX-License-Identifier: Apache-2.0

public import Kernel

/// An event, sent after the state that shows it was published.
public struct PlayerEvent: Sendable {
    /// The published version with this event; a read after the event shows this version or a later one.
    public var version: UInt64
    /// Milliseconds since the Unix epoch.
    public var wallMilliseconds: Int64
    public var kind: Kind

    public init(version: UInt64, wallMilliseconds: Int64, kind: Kind) {
        self.version = version
        self.wallMilliseconds = wallMilliseconds
        self.kind = kind
    }

    public enum Kind: Sendable {
        case status(
            PlayerStatus, previous: PlayerStatus, reason: StatusReason?, playWhenReady: Bool, itemID: ItemID?,
            position: Double, error: PlaybackError?)
        /// The current item, its metadata or its duration has changed; nil: there is none.
        case item(CurrentItem?)
        case completed(ItemID, reason: CompletionReason)
        /// Follows the last item's `completed`.
        case queueEnded
        /// Nothing follows the current item. Emitted early enough to add an item without a gap.
        case queueLow(QueueLow)
        case queue(revision: QueueRevision, length: Int, change: QueueChange, canUndo: Bool, canRedo: Bool)
        case settings(PlayerSettings)
        /// The effects or their presets have changed.
        case effects(EffectSettings)
        case output(OutputStatus)
        /// The output device has changed; nil: none.
        case route(RouteReason, previous: OutputDevice?, current: OutputDevice?)
        /// An interruption begins or ends. `shouldResume` only at the end: the music may resume.
        case interruption(isBeginning: Bool, InterruptionSource, shouldResume: Bool?)
        /// The position jumped (seek, item change, underrun, pause). Not recorded; sent at once as `time`.
        case jumped(PositionClock, itemID: ItemID?)
        /// Loading of the current item progresses or stalls. Not recorded; sent as `buffer`.
        case loaded(itemID: ItemID)
        /// A sleep timer's fade or an alarm's rise has begun, or has returned. For followers; not recorded.
        case faded
        /// The sleep plan has ended. Not recorded.
        case slept
        /// The start at that time was performed, cancelled by another command, or given up. Not recorded.
        case startEnded(at: MonotonicTime)
        /// An error that does not end playback by itself.
        case error(PlaybackError)
    }
}

public struct QueueLow: Hashable, Sendable {
    public enum Reason: String, CaseIterable, Sendable {
        /// The current item is near its end.
        case ending
        /// A client requested the next item, and there is none.
        case next
    }

    public var reason: Reason
    /// The current item; nil if there is none.
    public var itemID: ItemID?
    /// Seconds until the item's end; nil while unknown.
    public var remaining: Double?
}
