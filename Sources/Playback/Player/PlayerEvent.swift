// SPDX-License-Identifier: Apache-2.0

public import Kernel

/// Something that happened, sent after the state that shows it was published.
public struct PlayerEvent: Sendable {
    /// The published version that contains it; a read after this event shows this version or a later one.
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
        /// The current item, its metadata or its duration changed; nil when there is none.
        case item(CurrentItem?)
        case completed(ItemID, reason: CompletionReason)
        /// After the last item's `completed`.
        case queueEnded
        /// Nothing follows the current item. Emitted early enough for one more to be added without a gap.
        case queueLow(QueueLow)
        case queue(revision: QueueRevision, length: Int, change: QueueChange, canUndo: Bool, canRedo: Bool)
        case settings(PlayerSettings)
        /// The effects or their presets have changed.
        case effects(EffectSettings)
        case output(OutputStatus)
        /// The sound goes elsewhere; nil: there was nowhere, or is nowhere.
        case route(RouteReason, previous: OutputDevice?, current: OutputDevice?)
        /// Others take the sound, or have given it back. `shouldResume` only at the end: music may go on.
        case interruption(isBeginning: Bool, InterruptionSource, shouldResume: Bool?)
        /// Time jumped (seek, item change, underrun, pause): not recorded, but sent at once as `time`.
        case jumped(PositionClock, itemID: ItemID?)
        /// More of the current item is loaded, or loading stalls: not recorded, but sent as `buffer`.
        case loaded(itemID: ItemID)
        /// Its sleep plan is over: not recorded.
        case slept
        /// The start at that time was taken back by another command: not recorded.
        case startDropped(at: MonotonicTime)
        /// A problem with one item that is not the end of playback.
        case error(PlaybackError)
    }
}

public struct QueueLow: Hashable, Sendable {
    public enum Reason: String, CaseIterable, Sendable {
        /// The current item is near its end.
        case ending
        /// A client asked for the next item, and there is none.
        case next
    }

    public var reason: Reason
    /// The current one; nil when there is none.
    public var itemID: ItemID?
    /// Seconds until its end; nil while unknown.
    public var remaining: Double?
}
