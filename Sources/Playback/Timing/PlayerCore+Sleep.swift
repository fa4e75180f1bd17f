// SPDX-License-Identifier: Apache-2.0

public import Kernel

/// The time at which the player falls silent by itself, and its fade-out.
public struct SleepPlan: Hashable, Sendable {
    public enum End: Hashable, Sendable {
        case at(MonotonicTime)
        case endOfItem
        /// The queue does not repeat until then.
        case endOfQueue
    }

    public var end: End
    /// Seconds of fade-out before the end. The user's volume stays.
    public var fade: Double

    public init(end: End, fade: Double) {
        self.end = end
        self.fade = fade
    }
}

/// The present plan and the state of its fade. `PlayerCore+Sleep` queries it at each input and moves the gain.
struct Sleep {
    enum Turn: Hashable {
        case fadeOut(seconds: Double)
        /// Sound is about to start in the middle of the fade, with this gain.
        case wait(gain: Double)
        /// The fade is cancelled: by a seek back, another item or a pause.
        case comeBack
    }

    private enum Course: Hashable {
        case full, fading
        case waiting(gain: Double)
    }

    let plan: SleepPlan
    private var course = Course.full

    init(_ plan: SleepPlan) { self.plan = plan }

    /// The gain is, or moves, below 1.
    var isLowered: Bool { course != .full }

    /// `left`: seconds until the end; nil while unknown or while more items follow.
    mutating func turn(left seconds: Double?, isPlaying: Bool, wantsSound: Bool) -> Turn? {
        guard plan.fade > 0 else { return nil }
        let left = seconds.flatMap { $0 <= plan.fade ? $0 : nil }
        if let left, isPlaying {
            if course == .fading { return nil }
            course = .fading
            return .fadeOut(seconds: left)
        }
        // Ramps on a silent stream end at once, so before sound starts the gain is set to its value at this moment.
        if let left, wantsSound, case .at = plan.end {
            let gain = left / plan.fade
            if case .waiting(let old) = course, abs(old - gain) < 0.01 { return nil }
            course = .waiting(gain: gain)
            return .wait(gain: gain)
        }
        guard isLowered else { return nil }
        course = .full
        return .comeBack
    }

    func deadline(left: Double?, isPlaying: Bool, _ now: MonotonicTime) -> MonotonicTime? {
        switch plan.end {
        case .at(let end):
            return end.seconds(since: now) > plan.fade ? end.advanced(bySeconds: -max(0, plan.fade)) : end
        case .endOfItem, .endOfQueue:
            guard isPlaying, !isLowered, plan.fade > 0, let left, left > plan.fade else { return nil }
            return now.advanced(bySeconds: left - plan.fade)
        }
    }
}

/// The next sound starts from silence and rises over these seconds.
struct Rise {
    let seconds: Double
    /// Sound is wanted. If that ends before sound starts, the ramp is dropped.
    private var isArmed = false

    init(seconds: Double) { self.seconds = seconds }

    /// Called at each input. Returns false if the ramp is dropped.
    mutating func isKept(wantsSound: Bool) -> Bool {
        defer { isArmed = isArmed || wantsSound }
        return wantsSound || !isArmed
    }
}

/// Sleep and rise: a gain besides the user's volume, and a pause at the end.
extension PlayerCore {
    /// Seconds in which the gain returns when a fade is cancelled.
    private static let returnSeconds = 0.2

    /// nil cancels the plan and restores the gain.
    mutating func sleep(_ plan: SleepPlan?) {
        let wasLowered = sleep?.isLowered == true
        sleep = plan.map(Sleep.init)
        if wasLowered { moveTimerGain(to: 1, over: 0) }
    }

    private mutating func endSleep() {
        sleep = nil
        emit(.slept)
    }

    /// The next sound rises from silence. nil: it does not, and a rise that has begun ends. `reconcileTimerGain` restores the
    /// gain, in sound that fades out once it is silent.
    mutating func rise(over seconds: Double?) {
        rising = nil
        guard let seconds else {
            endRise()
            // The output moves the gain with its frames: without this, the rest of the ramp would follow.
            if timerRamp.from < timerRamp.to { moveTimerGain(to: timerRamp.gain(at: now), over: 0) }
            return
        }
        rise = Rise(seconds: seconds)
        if sleep != nil { endSleep() }
        moveTimerGain(to: 0, over: 0)
    }

    private mutating func endRise() {
        guard rise != nil else { return }
        rise = nil
        applyVolume()
        applyBalance()
    }

    /// Seconds in which the previous item fades out after a skip or an edit. Before a rise it is silent already.
    var skipFade: Double { rise == nil ? fades.skip : 0 }

    /// Nothing may be heard after the current item.
    var stopsAfterCurrent: Bool { settings.stopAfterCurrent || sleepsAfterCurrent }
    var sleepsAfterCurrent: Bool { sleep?.plan.end == .endOfItem }
    var sleepsAfterQueue: Bool { sleep?.plan.end == .endOfQueue }

    mutating func checkSleep() {
        guard let plan = sleep?.plan else { return followFade() }
        var left: Double?
        switch plan.end {
        case .at(let end):
            guard now < end else { return fallAsleep() }
            left = end.seconds(since: now)
        case .endOfItem: left = secondsLeftOfRound
        case .endOfQueue: if queue.successor(order, using: &random) == nil { left = secondsLeftOfRound }
        }
        switch sleep?.turn(left: left, isPlaying: lastStatus == .playing, wantsSound: goal.wantsSound) {
        case .fadeOut(let seconds): moveTimerGain(to: 0, over: seconds)
        case .wait(let gain): moveTimerGain(to: gain, over: 0)
        case .comeBack: moveTimerGain(to: 1, over: Self.returnSeconds)
        case nil: return
        }
    }

    mutating func fallAsleep() {
        endSleep()
        if goal.wantsSound { pause(.sleepTimer) }
    }

    /// The last item of the plan was heard to its end: the next one waits, silent.
    mutating func fallAsleepAfterItem() {
        endSleep()
        if let next = queue.successor(order, using: &random), let item = queue.item(next) {
            makeCurrent(item, at: nil)
            goal = .pause(.sleepTimer)
        } else {
            goal = .rest(.stopped(.sleepTimer))
            emit(.queueEnded)
        }
    }

    /// The queue has ended; this also ends a plan for the end of the queue.
    mutating func fallAsleepAfterQueue() {
        guard sleepsAfterQueue else { return }
        endSleep()
        goal = .rest(.stopped(.sleepTimer))
    }

    /// Called when sound starts.
    mutating func beginRise() {
        guard let rise else { return }
        endRise()
        moveTimerGain(to: 1, over: rise.seconds)
        rising = timerRamp
    }

    /// Restores the gain once no sound needs it.
    mutating func reconcileTimerGain() {
        if rise?.isKept(wantsSound: goal.wantsSound) == false { endRise() }
        if let ramp = rising, !goal.wantsSound || sleep != nil || ramp.end <= now { rising = nil }
        guard rise == nil, rising == nil, sleep?.isLowered != true, leaderPlayback == nil, mayRestoreGain,
            timerRamp.to != 1
        else { return }
        moveTimerGain(to: 1, over: 0)
    }

    /// Sound that fades out keeps its gain.
    private var mayRestoreGain: Bool {
        if case .silent? = stream.transport { return true }
        return goal.wantsSound || stream.format == nil
    }

    /// A follower reaches the end of its leader's ramp at the same time, from its own present gain. A rise reaches its
    /// end after silence as well, which ends the ramps of the output.
    private mutating func followFade() {
        guard rise == nil, let fade = leaderPlayback?.fade ?? rising, mayRestoreGain else { return }
        guard lastStatus != .playing else {
            if (timerRamp.to, timerRamp.end) != (fade.to, fade.end) { moveTimerGain(to: fade.to, until: fade.end) }
            return
        }
        // Ramps on a silent stream end at once.
        let gain = fade.gain(at: now)
        if abs(timerRamp.to - gain) >= 0.01 { moveTimerGain(to: gain, over: 0) }
    }

    /// Seconds until the end of the item, or of its present repetition if it repeats without end.
    private var secondsLeftOfRound: Double? {
        guard isEndless, let current else { return secondsLeftOnce }
        guard current.failure == nil, scan == nil, let end = part(of: current.item)?.end ?? current.duration else {
            return nil
        }
        return max(0, end - position) / tempo(of: current).rate
    }

    var sleepDeadline: MonotonicTime? {
        sleep?.deadline(left: secondsLeftOfRound, isPlaying: lastStatus == .playing, now)
    }
}
