// SPDX-License-Identifier: Apache-2.0

import Playback
import Testing
import Kernel

@testable import Service

@Suite struct SoundEffectScheduleTests {
    private let start = MonotonicTime(nanoseconds: 1_000_000_000)

    private func effect(_ number: UInt64) -> SoundEffect {
        SoundEffect(id: SoundID(number: number), sound: Sound(uri: "click.mp3"))
    }

    @Test func theNinthEffect_endsTheOldest() {
        var schedule = SoundEffectSchedule()
        for number in 1...8 {
            #expect(schedule.add(effect(UInt64(number)), now: start) == [.start(effect(UInt64(number)))])
        }
        let actions = schedule.add(effect(9), now: start)
        #expect(
            actions == [.stop(SoundID(number: 1)), .ended(effect(1), SoundEnd(.replaced)), .start(effect(9))])
        #expect(schedule.effects.map(\.id.number) == Array(2...9))
    }

    @Test func anEffect_beginsOnce_andEnds() {
        var schedule = SoundEffectSchedule()
        _ = schedule.add(effect(1), now: start)
        var playing = effect(1)
        playing.state = .playing
        let first = schedule.report(.heard, of: playing.id, now: start)
        let second = schedule.report(.heard, of: playing.id, now: start)
        #expect(first == [.began(playing)] && second == [])
        let end = schedule.report(.finished, of: playing.id, now: start)
        #expect(end == [.ended(playing, SoundEnd(.finished))])
        let late = schedule.report(.finished, of: playing.id, now: start)
        let cancelled = schedule.end(playing.id, SoundEnd(.cancelled))
        #expect(late == [] && cancelled == nil && schedule.nextDeadline == nil)
    }

    /// The silence alone would have lasted on.
    @Test func anEffectThatIsSilentAtTheLongestEnd_isTooLong() {
        var schedule = SoundEffectSchedule()
        let end = start.advanced(bySeconds: SoundProgress.longest)
        _ = schedule.add(effect(1), now: start)
        _ = schedule.report(.heard, of: effect(1).id, now: start)
        _ = schedule.report(.silent, of: effect(1).id, now: end.advanced(bySeconds: -1))
        guard case .ended(_, let reason)? = schedule.check(now: end).last else {
            return #expect(Bool(false), "it has not ended")
        }
        #expect(reason.error?.code == .tooLong)
    }

    /// A stream may never end.
    @Test func anEffectThatIsTooLong_ends() {
        var schedule = SoundEffectSchedule()
        _ = schedule.add(effect(1), now: start)
        _ = schedule.report(.heard, of: effect(1).id, now: start)
        #expect(schedule.nextDeadline == start.advanced(bySeconds: SoundProgress.longest))
        guard case .ended(_, let end)? = schedule.check(now: start.advanced(bySeconds: SoundProgress.longest)).last
        else { return #expect(Bool(false), "it has not ended") }
        #expect(end.error?.code == .tooLong && schedule.effects.isEmpty && schedule.nextDeadline == nil)
    }

    @Test func anEffectNotHeardInTime_fails() {
        var schedule = SoundEffectSchedule()
        _ = schedule.add(effect(1), now: start)
        #expect(schedule.check(now: start.advanced(bySeconds: SoundProgress.patience - 0.1)) == [])
        let actions = schedule.check(now: start.advanced(bySeconds: SoundProgress.patience))
        guard case .ended(_, let end)? = actions.last else { return #expect(Bool(false), "it has not ended") }
        #expect(end.reason == .failed && end.error?.code == .timedOut && actions.first == .stop(SoundID(number: 1)))
    }
}
