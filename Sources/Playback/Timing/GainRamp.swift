// SPDX-License-Identifier: Apache-2.0

internal import Kernel

/// A gain that moves linearly.
struct GainRamp: Hashable {
    var from = 1.0
    var to = 1.0
    var begin = MonotonicTime(nanoseconds: 0)
    var end = MonotonicTime(nanoseconds: 0)

    func gain(at time: MonotonicTime) -> Double {
        if time >= end { return to }
        let length = end.seconds(since: begin)
        return from + (to - from) * max(0, time.seconds(since: begin)) / length
    }
}

/// The gain of falling asleep and rising.
extension PlayerCore {
    mutating func moveTimerGain(to gain: Double, over seconds: Double) {
        moveTimerGain(to: gain, until: now.advanced(bySeconds: seconds))
    }

    /// Starts from the present gain, or sets the gain if `end` is over.
    mutating func moveTimerGain(to gain: Double, until end: MonotonicTime) {
        let present = end > now ? timerRamp.gain(at: now) : gain
        timerRamp = GainRamp(from: present, to: gain, begin: now, end: end)
        emit(.faded)
        setGain(.timer(gain, seconds: max(0, end.seconds(since: now))))
    }
}
