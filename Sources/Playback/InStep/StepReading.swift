// SPDX-License-Identifier: Apache-2.0

internal import Kernel

/// The part of a leader's state that its followers apply, too.
public struct LeaderPlayback: Hashable, Sendable {
    public var tempo = Tempo.normal
    /// Seconds in which consecutive items overlap.
    public var crossfade = 0.0
    public var fades = PlayerSettings.Fades()
    /// The gain of a sleep timer's fade or an alarm's rise.
    var fade = GainRamp()
    /// The current item is about to end, and nothing follows it.
    public var isLast = false
}

/// The observed state of a player at one moment.
struct StepReading: Sendable {
    var item: QueueItem?
    var upcoming: QueueItem?
    var status = PlayerStatus.idle
    var wantsSound = false
    /// Seconds into the item.
    var position = 0.0
    /// Media seconds per second.
    var rate = 0.0
    /// The number of position jumps so far: seeks, repetitions of a loop, item changes.
    var jumps: UInt64 = 0
    var playback = LeaderPlayback()
    /// The tempo at which the item plays or would play.
    var tempo: Tempo { playback.tempo }
    /// The position at which the next item starts, in seconds.
    var end: Double?
    /// A live stream: each player plays it as it arrives, and their positions are unrelated.
    var isLive = false
    var isSeekable = true
    /// The exact audible position; nil unless sound advances.
    var heard: AudiblePosition?

    /// Near the start or end of the item: the player may change items at any moment.
    var isNearBorder: Bool {
        position < tempo.rate || (end.map { $0 - position < 1.5 * tempo.rate } ?? false)
    }

    var isSilentInPlace: Bool { !wantsSound && (status == .paused || status == .ready) }

    /// The player plays, and does not scan.
    var isPlayed: Bool { rate == tempo.rate }
}

extension StepReading {
    init(_ player: Player, at now: MonotonicTime) {
        self.init(player.snapshot, upcoming: player.upcoming, heard: player.audiblePosition(), at: now)
    }

    /// `heard` was read after the snapshot, so it may belong to another item.
    init(_ snapshot: PlayerSnapshot, upcoming: QueueItem?, heard: AudiblePosition?, at now: MonotonicTime) {
        item = snapshot.item?.item
        self.upcoming = upcoming
        status = snapshot.status
        wantsSound = snapshot.playWhenReady
        self.heard = heard.flatMap { $0.itemID == item?.id ? $0 : nil }
        // A stalled sink is visible only in its clock.
        position = self.heard?.position(at: now) ?? snapshot.clock.position(at: now)
        rate = snapshot.clock.rate
        jumps = snapshot.clock.discontinuity
        playback = LeaderPlayback(
            tempo: snapshot.tempo, crossfade: snapshot.crossfade, fades: snapshot.settings.fades, fade: snapshot.fade,
            isLast: snapshot.isLast)
        end = snapshot.item?.duration.map { $0 - snapshot.overlap }
        isLive = snapshot.item?.media?.broadcast != nil
        isSeekable = snapshot.item?.media?.isSeekable ?? true
    }
}
