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

/// A plan in force, and whether its fade has begun. `PlayerCore+Sleep` asks it at each input, and moves the gain.
struct Sleep {
    enum Turn: Hashable {
        case fadeOut(seconds: Double)
        /// What is about to sound in the middle of a fade begins with this gain.
        case wait(gain: Double)
        /// A jump back, another item or a pause has come first.
        case comeBack
    }

    private enum Course: Hashable {
        case full, fading
        case waiting(gain: Double)
    }

    let plan: SleepPlan
    private var course = Course.full

    init(_ plan: SleepPlan) { self.plan = plan }

    /// The gain is not 1, or is on its way down.
    var isLowered: Bool { course != .full }

    /// `left`: seconds until the end; nil while unknown, or while there is more to come.
    mutating func turn(left seconds: Double?, isPlaying: Bool, wantsSound: Bool) -> Turn? {
        guard plan.fade > 0 else { return nil }
        let left = seconds.flatMap { $0 <= plan.fade ? $0 : nil }
        if let left, isPlaying {
            if course == .fading { return nil }
            course = .fading
            return .fadeOut(seconds: left)
        }
        // A ramp of a stream that stands is over at once: until there is sound, the gain is only what it has come to.
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

/// Silence until the next sound, and the ramp of so many seconds that begins with it.
struct Rise {
    let seconds: Double
    /// Sound was wanted since: when it is not any more, the ramp is dropped.
    private var isArmed = false

    init(seconds: Double) { self.seconds = seconds }

    /// At each input. False: it is dropped.
    mutating func isKept(wantsSound: Bool) -> Bool {
        defer { isArmed = isArmed || wantsSound }
        return wantsSound || !isArmed
    }
}

/// Falls asleep and wakes up: a gain beside the user's volume, and a pause at the end.
extension PlayerCore {
    /// After a jump back, or a new plan.
    private static let returnSeconds = 0.2

    /// nil takes the plan back, and the gain with it.
    mutating func sleep(_ plan: SleepPlan?) {
        let wasLowered = sleep?.isLowered == true
        sleep = plan.map(Sleep.init)
        if wasLowered { attenuate(.timer, to: 1, over: 0) }
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

    /// Of what a jump or an edit leaves. What gives way to a rise is silent already.
    var skipFade: Double { rise == nil ? settings.fades.skip : 0 }

    /// Nothing of the next item is to be heard behind the current one.
    var stopsAfterCurrent: Bool { settings.stopAfterCurrent || sleepsAfterCurrent }
    var sleepsAfterCurrent: Bool { sleep?.plan.end == .endOfItem }
    var sleepsAfterQueue: Bool { sleep?.plan.end == .endOfQueue }

    mutating func checkSleep() {
        guard let plan = sleep?.plan else { return }
        var left: Double?
        switch plan.end {
        case .at(let end):
            guard now < end else { return fallAsleep() }
            left = end.seconds(since: now)
        case .endOfItem: left = secondsLeftOfRound
        case .endOfQueue: if queue.successor(order, using: &random) == nil { left = secondsLeftOfRound }
        }
        switch sleep?.turn(left: left, isPlaying: lastStatus == .playing, wantsSound: goal.wantsSound) {
        case .fadeOut(let seconds): attenuate(.timer, to: 0, over: seconds)
        case .wait(let gain): attenuate(.timer, to: gain, over: 0)
        case .comeBack: attenuate(.timer, to: 1, over: Self.returnSeconds)
        case nil: return
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
        if rise?.isKept(wantsSound: goal.wantsSound) == false { rise = nil }
        guard rise == nil, sleep?.isLowered != true, attenuations.target(of: .timer) != 1 else { return }
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
        sleep?.deadline(
            left: secondsLeftOfRound, isPlaying: lastStatus == .playing, now)
    }
}
