// SPDX-License-Identifier: Apache-2.0

public import Kernel

/// Everything that a client can ask of a player.
public enum PlayerCommand: Sendable {
    case play(PlayTarget, position: Double?)
    /// As `play`, heard from that time on. Takes effect at once: the player makes ready.
    case start(PlayTarget, position: Double?, at: MonotonicTime)
    /// Has the current item, or the first one, decoded up to the sink: so many seconds, where it has them and the ring holds
    /// them.
    case prime(seconds: Double)
    case pause
    /// The leader is silent.
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
    /// Until the sound ends, it goes to this device, where that is there; nil ends this. Saved nowhere.
    case borrowOutput(String?)
    case changeEffects(EffectsChange)
    /// Others take the sound or give it back.
    case interruption(InterruptionNotice)
    /// The session of the machine has changed.
    case applyRules(SessionRules)
    /// Seconds by which what is heard comes earlier from now on, later when negative: keeps two players in step.
    case shift(Double)
    /// Plays as its leader does.
    case adapt(LeadersManner)
    /// nil takes the plan back.
    case sleep(SleepPlan?)
    /// What sounds next comes from silence to the user's volume, over so many seconds. Whoever falls asleep is awake.
    case rise(over: Double)
    /// Saves a text beside the player's state, by name.
    case note(String, String)

    /// Whom it comes from.
    enum Origin: Sendable {
        case client
        /// Commands that keep a player in step with another.
        case follower
    }

    /// Asks for an item to be played: has failed when the item has. An edit is done although what it added may fail.
    var failsWithItem: Bool {
        switch self {
        case .play, .prime, .toggle, .next, .previous, .seek, .scan: true
        case .pause, .pauseWithLeader, .stop, .endScan, .apply, .edit, .selectOutput, .borrowOutput, .changeEffects,
            .interruption, .applyRules, .shift, .adapt, .start, .sleep, .rise, .note:
            false
        }
    }

    /// Changes what must survive: in force only once it is saved, so that a full disk refuses it as a whole.
    var isSavedFirst: Bool {
        switch self {
        case .apply, .edit, .selectOutput, .changeEffects, .note: true
        case .play, .start, .prime, .pause, .pauseWithLeader, .toggle, .stop, .next, .previous, .seek, .scan, .endScan,
            .borrowOutput, .interruption, .applyRules, .shift, .adapt, .sleep, .rise:
            false
        }
    }

    var arrangesStart: Bool { if case .start = self { true } else { false } }

    /// Transport that comes before an arranged start takes its place.
    var endsTimedStart: Bool {
        switch self {
        case .play, .start, .pause, .pauseWithLeader, .toggle, .stop, .next, .previous, .seek, .scan: true
        case .edit(_, _, let play): play
        case .prime, .endScan, .apply, .selectOutput, .borrowOutput, .changeEffects, .interruption, .applyRules, .shift,
            .adapt, .sleep, .rise, .note:
            false
        }
    }

    /// When it has taken effect.
    var awaits: PendingReplies.Awaited {
        switch self {
        case .play, .pause, .pauseWithLeader, .toggle, .stop, .next, .previous, .seek, .scan, .endScan, .interruption:
            .transport
        case .edit(_, _, let play): play ? .transport : .nothing
        case .prime(let seconds): .decoded(seconds)
        case .apply(let patch): patch.changesTempo ? .tempo : .nothing
        case .borrowOutput, .changeEffects, .applyRules, .shift, .adapt, .start, .sleep, .rise, .note: .nothing
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
