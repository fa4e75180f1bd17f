// SPDX-License-Identifier: Apache-2.0

public import Kernel

/// When the player falls silent by itself.
public struct SleepPlan: Hashable, Sendable {
    public enum End: Hashable, Sendable {
        case at(MonotonicTime)
        case endOfItem
        /// Repeating is off until then.
        case endOfQueue
    }

    public var end: End
    /// Seconds of fading out before it. The user's volume stays.
    public var fade: Double

    public init(end: End, fade: Double) {
        self.end = end
        self.fade = fade
    }
}

/// Falls asleep and wakes up: a gain beside the user's volume, and a pause at the end.
extension PlayerCore {
    struct Sleep {
        var plan: SleepPlan
        var isFading = false
    }

    /// Silence until the next sound, and the ramp that begins with it.
    struct Rise {
        var seconds: Double
        /// Sound was wanted since: when it is not any more, the ramp is dropped.
        var isArmed = false
    }

    /// After a jump back, or a new plan.
    private static let returnSeconds = 0.2

    /// nil takes the plan back, and the gain with it.
    mutating func sleep(_ plan: SleepPlan?) {
        let wasFading = sleep?.isFading == true
        sleep = plan.map { Sleep(plan: $0) }
        if wasFading { attenuate(.timer, to: 1, over: 0) }
    }

    /// What comes next is heard from silence on.
    mutating func rise(over seconds: Double) {
        if sleep != nil {
            sleep = nil
            emit(.slept)
        }
        rise = Rise(seconds: seconds)
        attenuate(.timer, to: 0, over: 0)
    }

    /// Nothing of the next item is to be heard behind the current one.
    var stopsAfterCurrent: Bool { settings.stopAfterCurrent || sleepsAfterCurrent }
    var sleepsAfterCurrent: Bool { sleep?.plan.end == .endOfItem }
    var sleepsAfterQueue: Bool { sleep?.plan.end == .endOfQueue }

    mutating func checkSleep() {
        guard let plan = sleep?.plan else { return }
        switch plan.end {
        case .at(let end):
            guard now < end else { return fallAsleep() }
            fade(plan, in: end.seconds(since: now))
        case .endOfItem: fade(plan, in: secondsLeftOfRound)
        case .endOfQueue:
            let isLast = queue.successor(order, using: &random) == nil
            fade(plan, in: isLast ? secondsLeftOfRound : nil)
        }
    }

    /// nil: not known yet, or there is more to come.
    private mutating func fade(_ plan: SleepPlan, in seconds: Double?) {
        guard plan.fade > 0 else { return }
        let isDue = seconds.map { $0 <= plan.fade } ?? false
        let isTimed = if case .at = plan.end { true } else { false }
        if isDue, let seconds, sleep?.isFading == false, isTimed || lastStatus == .playing {
            sleep?.isFading = true
            attenuate(.timer, to: 0, over: seconds)
        } else if sleep?.isFading == true, !isTimed, !isDue || lastStatus != .playing {
            sleep?.isFading = false
            attenuate(.timer, to: 1, over: Self.returnSeconds)
        }
    }

    mutating func fallAsleep() {
        sleep = nil
        emit(.slept)
        if goal.wantsSound { pause(.sleepTimer) }
    }

    /// The item that was to be the last was heard to its end: what follows it waits, silent.
    mutating func fallAsleepAfterItem() {
        sleep = nil
        emit(.slept)
        if let next = queue.successor(order, using: &random), let item = queue.item(next) {
            makeCurrent(item, at: nil)
            goal = .pause(.sleepTimer)
        } else {
            goal = .rest(.stopped(.sleepTimer))
            emit(.queueEnded)
        }
    }

    /// The queue was heard to its end, as was planned or not.
    mutating func fallAsleepAfterQueue() {
        guard sleepsAfterQueue else { return }
        sleep = nil
        emit(.slept)
        goal = .rest(.stopped(.sleepTimer))
    }

    /// Sound has begun.
    mutating func beginRise() {
        guard let rise else { return }
        self.rise = nil
        attenuate(.timer, to: 1, over: rise.seconds)
    }

    /// The gain is back once nothing sounds that it was for.
    mutating func reconcileTimerGain() {
        if rise != nil {
            if goal.wantsSound { rise?.isArmed = true } else if rise?.isArmed == true { rise = nil }
        }
        guard rise == nil, sleep?.isFading != true, attenuations.target(of: .timer) != 1 else { return }
        let isSilent = if case .silent? = stream.transport { true } else { stream.format == nil }
        if goal.wantsSound || isSilent { attenuate(.timer, to: 1, over: 0) }
    }

    /// Of an item that is repeated without end until this round of it is heard, of any other until it is.
    private var secondsLeftOfRound: Double? {
        guard isEndless, let current else { return secondsLeftOnce }
        guard current.failure == nil, scan == nil, let end = part(of: current.item)?.end ?? current.duration else {
            return nil
        }
        return max(0, end - position) / tempo(of: current).rate
    }

    var sleepDeadline: MonotonicTime? {
        guard let sleep else { return nil }
        switch sleep.plan.end {
        case .at(let end):
            return sleep.isFading || sleep.plan.fade == 0 ? end : min(end, end.advanced(bySeconds: -sleep.plan.fade))
        case .endOfItem, .endOfQueue:
            guard lastStatus == .playing, !sleep.isFading, sleep.plan.fade > 0, let left = secondsLeftOfRound else {
                return nil
            }
            return left > sleep.plan.fade ? now.advanced(bySeconds: left - sleep.plan.fade) : nil
        }
    }
}
