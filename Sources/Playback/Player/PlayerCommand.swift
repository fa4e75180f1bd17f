// SPDX-License-Identifier: Apache-2.0

public import Kernel

/// All commands of a player.
public enum PlayerCommand: Sendable {
    case play(PlayTarget, position: Double? = nil)
    /// Like `play`, but the first frame is heard at that time. Takes effect at once: the player gets ready.
    case start(PlayTarget, position: Double? = nil, at: MonotonicTime)
    /// Cancels `start`, also while it waits for its output. Music that plays until the start goes on.
    case cancelStart
    /// Decodes the current item, or the first one, ahead of the sink: this many seconds, or as far as the ring has room.
    case prime(seconds: Double)
    case pause
    case pauseWithLeader
    case toggle
    /// `drain`: plays the frames that are buffered for the sink before it stops.
    case stop(drain: Bool)
    case next
    case previous
    case seek(SeekTarget)
    /// Rewinds or fast-forwards at `rate` times normal speed: -32...32 without 0 and 1.
    case scan(rate: Double)
    case endScan
    case apply(SettingsPatch)
    /// `expected`: fails with `revision-mismatch` at another revision. `play`: also starts the first new item (or
    /// `startIndex`).
    case edit(QueueEdit, expected: QueueRevision? = nil, play: Bool = false)
    /// nil: follow the default device.
    case selectOutput(String?)
    /// Plays on this device until the sound ends, if the device is there; nil ends this. Not saved.
    case borrowOutput(String?)
    case changeEffects(EffectsChange)
    /// An interruption begins or ends.
    case interruption(InterruptionNotice)
    /// The rules of the audio session have changed.
    case applyRules(SessionRules)
    /// Shifts the sound by this many seconds, earlier if positive: keeps two players in step.
    case shift(Double)
    /// Applies the leader's tempo and crossfade.
    case adapt(LeaderPlayback)
    /// nil cancels the plan.
    case sleep(SleepPlan?)
    /// Fades the next sound in from silence, over this many seconds. Cancels a sleep plan. nil: it does not, and a
    /// rise that has begun ends.
    case rise(over: Double?)
    /// Saves a named text beside the player's state.
    case note(String, String)

    /// The command's origin.
    public enum Origin: Sendable {
        case client
        /// Its edits take effect even if the store refuses them, and are saved later: an alarm must wake.
        case alarm
        /// The `Follower` that keeps this player in step.
        case follower
    }

    /// The command fails if the item fails. An edit does not, even if an added item fails.
    var failsWithItem: Bool {
        switch self {
        case .play, .prime, .toggle, .next, .previous, .seek, .scan: true
        default: false
        }
    }

    /// Changes saved state. Takes effect only once it is saved: on a full disk the whole command fails, unless an alarm gave it.
    var isSavedFirst: Bool {
        switch self {
        case .apply(let patch): !patch.isSavedLater
        case .edit, .selectOutput, .changeEffects, .note: true
        default: false
        }
    }

    var isTimedStart: Bool { if case .start = self { true } else { false } }

    /// Transport commands cancel a timed start. An edit that plays does so once it is saved.
    var endsTimedStart: Bool {
        switch self {
        case .play, .start, .pause, .pauseWithLeader, .toggle, .stop, .next, .previous, .seek, .scan: true
        default: false
        }
    }

    /// The effect that the reply waits for.
    var awaits: PendingReplies.Awaited {
        switch self {
        case .play, .pause, .pauseWithLeader, .toggle, .stop, .next, .previous, .seek, .scan, .endScan, .interruption:
            .transport
        case .edit(_, _, let play): play ? .transport : .nothing
        case .prime(let seconds): .decoded(seconds)
        case .apply(let patch): patch.changesTempo ? .tempo : .nothing
        case .selectOutput(let device): .device(device)
        default: .nothing
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
    /// Relative to the audible position. Past the end, the item completes.
    case offset(Double)
    /// 0...1 of the duration.
    case progress(Double)
}
