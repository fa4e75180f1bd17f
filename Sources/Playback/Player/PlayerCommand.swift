// SPDX-License-Identifier: Apache-2.0

/// Everything that a client can ask of a player.
public enum PlayerCommand: Sendable {
    case play(PlayTarget, position: Double?)
    case pause
    /// What is followed is silent.
    case pauseWithLeader
    case toggle
    /// Draining plays what is already buffered for the sink before it stops.
    case stop(drain: Bool)
    case next
    case previous
    case seek(SeekTarget)
    /// Rewind and fast-forward at `rate` times the normal speed, -32...32 without 0 and 1.
    case scan(rate: Double)
    case endScan
    case apply(SettingsPatch)
    /// `expected`: refuse with `revision-mismatch` when the queue has another revision. `play`: start the first new
    /// item (or `startIndex`) in the same step.
    case edit(QueueEdit, expected: QueueRevision?, play: Bool)
    /// nil follows the default device again.
    case selectOutput(String?)
    /// Others take the sound or give it back.
    case interruption(InterruptionNotice)
    /// The session of the machine has changed.
    case obey(SessionRules)
    /// Seconds by which what is heard comes earlier from now on, later when negative: keeps two players in step.
    case shift(Double)

    /// Whom it comes from.
    enum Origin: Sendable {
        case client
        /// What keeps a player in step with another.
        case follower
    }

    /// Asks for an item to be played: has failed when the item has. An edit is done although what it added may fail.
    var failsWithItem: Bool {
        switch self {
        case .play, .toggle, .next, .previous, .seek, .scan: true
        case .pause, .pauseWithLeader, .stop, .endScan, .apply, .edit, .selectOutput, .interruption, .obey, .shift:
            false
        }
    }

    /// Changes what must survive: in force only once it is saved, so that a full disk refuses it as a whole.
    var isSavedFirst: Bool {
        switch self {
        case .apply, .edit, .selectOutput: true
        case .play, .pause, .pauseWithLeader, .toggle, .stop, .next, .previous, .seek, .scan, .endScan, .interruption,
            .obey, .shift:
            false
        }
    }

    /// When it has taken effect.
    var awaits: PlayerCore.PendingReply.Awaited {
        switch self {
        case .play, .pause, .pauseWithLeader, .toggle, .stop, .next, .previous, .seek, .scan, .endScan, .interruption:
            .transport
        case .edit(_, _, let play): play ? .transport : .nothing
        case .apply, .obey, .shift: .nothing
        case .selectOutput(let device): .device(device)
        }
    }
}

public enum PlayTarget: Hashable, Sendable {
    /// The current item, or the first one.
    case current
    case item(ItemID)
    case index(Int)
}

/// Times in seconds; must be finite.
public enum SeekTarget: Hashable, Sendable {
    /// Absolute, clamped to 0...duration.
    case position(Double)
    /// Relative to what is heard now; past the end completes the item.
    case offset(Double)
    /// 0...1 of the duration.
    case progress(Double)
}
