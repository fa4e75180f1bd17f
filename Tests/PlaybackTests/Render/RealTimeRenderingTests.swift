// SPDX-License-Identifier: Apache-2.0

import Audio
import Glibc
import HeapCounting
import PlaybackTesting
import Testing

@testable import Playback

/// Restrictions of the render thread, and inaudible changes (decision 0053).
@Suite struct RealTimeRenderingTests {
    /// 10 ms.
    private static let tick = 480

    private static func heapCalls(_ body: () -> Void) -> UInt {
        let before = heap_calls()
        body()
        return UInt(heap_calls() - before)
    }

    @Test(.enabled(if: heap_is_counted() != 0)) func theHeapIsCounted() {
        var kept: [Int] = []
        #expect(Self.heapCalls { kept = [Int](repeating: 1, count: Int.random(in: 100...200)) } >= 1)
        #expect(kept.count >= 100)
    }

    /// All effects on, changed 100 times a second, with steps back, moving gains, pauses, seeks and a tap.
    @Test(.enabled(if: heap_is_counted() != 0)) func renderingLeavesTheHeapAlone() {
        let sine = RenderedSine(ChangedParameter.allEffects(false))
        let tap = TapRing(format: RenderedSine.format)
        sine.use(tap)
        var random = Signal(seed: 5)
        var calls: UInt = 0
        for round in -10..<300 {
            // In the first rounds, the runtime creates metadata of generic types, once in a process.
            if round == 0 { calls = 0 }
            sine.set(ChangedParameter.allEffects(round % 2 == 0))
            sine.provide(4 * Self.tick)
            calls += Self.heapCalls {
                _ = sine.produce(Self.tick)
                switch abs(round) % 5 {
                case 0: sine.stepBack(300)
                case 1: sine.set(.volume(round % 2 == 0 ? 0.5 : 1, seconds: 0))
                case 2: sine.pauseAndGoOn()
                case 3: sine.seek()
                default: break
                }
            }
            sine.provide(4 * Self.tick)
            let frames = Int(random.value(1...480))
            calls += Self.heapCalls { _ = sine.produce(frames) }
        }
        withExtendedLifetime(tap) {}
        #expect(calls == 0)
    }

    /// A sine obeys x[n] = 2 cos(w) x[n-1] - x[n-2]; a step in the sound is a deviation from that. In dB below the sine.
    private static func worstStep(_ heard: [Float]) -> Double {
        20 * log10((rest(of: heard.map(Double.init), RenderedSine.step).map(abs).max() ?? 1) / RenderedSine.level)
    }

    private static func rest(of heard: [Double], _ step: Double) -> [Double] {
        (4..<heard.count).map { heard[$0] - 2 * cos(step) * heard[$0 - 2] + heard[$0 - 4] }
    }

    /// For two sines, one after the other; and no 2 ms without level.
    @Test(arguments: [(ChangedParameter.speed, 1), (.speed, 30), (.pitch, 1), (.pitch, 30)])
    func anotherTempoLeavesNoStepAndNoHole(of parameter: ChangedParameter, ticksBetween: Int) {
        let heard = Self.heard(parameter, changes: 40, ticksBetween: ticksBetween).map(Double.init)
        let rest = Self.rest(of: Self.rest(of: heard, RenderedSine.step), RenderedSine.otherStep)
        let decibels = 20 * log10((rest.map(abs).max() ?? 1) / RenderedSine.level)
        #expect(decibels < -60, "\(decibels)")
        let levels = stride(from: 0, to: heard.count - 192, by: 48).map { start in
            10 * log10(heard[start..<start + 192].map { $0 * $0 }.reduce(0, +) / 96 / pow(RenderedSine.level, 2))
        }
        #expect((levels.min() ?? -90) > -3 && (levels.max() ?? 90) < 3)
    }

    /// Each change takes back the frames that the sink has not played, like an output.
    private static func heard(_ parameter: ChangedParameter, changes: Int, ticksBetween: Int) -> [Float] {
        let sine = RenderedSine(.off)
        parameter.set(false, on: sine)
        _ = (0..<50).map { _ in sine.render(tick) }
        var heard: [Float] = []
        for round in 0..<changes {
            if round > 0 {
                sine.stepBack(300)
                heard.removeLast(600)
            }
            parameter.set(round % 2 == 0, on: sine)
            heard += sine.render(300)
            for _ in 0..<ticksBetween { heard += sine.render(tick) }
        }
        return heard
    }

    @Test(arguments: ChangedParameter.each + [.meters]) func aHundredChangesASecond_leaveNoStep(
        of parameter: ChangedParameter
    ) {
        let decibels = Self.worstStep(Self.heard(parameter, changes: 200, ticksBetween: 1))
        #expect(decibels < -60, "\(decibels)")
    }

    @Test(arguments: ChangedParameter.each + [.meters]) func aChangeLeavesNoStep(of parameter: ChangedParameter) {
        let decibels = Self.worstStep(Self.heard(parameter, changes: 4, ticksBetween: 30))
        #expect(decibels < -60, "\(decibels)")
    }

    @Test(arguments: ChangedParameter.each) func aChangeIsHeardWithin100Milliseconds(of parameter: ChangedParameter) {
        let (kept, changed) = (RenderedSine(.off), RenderedSine(.off))
        for side in [kept, changed] {
            parameter.set(false, on: side)
            for _ in 0..<50 { _ = side.render(Self.tick) }
        }
        // The last one of many quick changes.
        for round in 0..<21 {
            parameter.set(round % 2 == 0, on: changed)
            _ = (kept.render(Self.tick), changed.render(Self.tick))
        }
        for _ in 0..<9 { _ = (kept.render(Self.tick), changed.render(Self.tick)) }
        let (was, now) = (kept.render(Self.tick), changed.render(Self.tick))
        let difference = zip(was, now).map { abs($0 - $1) }.max() ?? 0
        #expect(difference > 0.03, "\(difference)")
    }

    /// Subnormal numbers, which are slow, are 0 in the chain, and nowhere else.
    @Test func denormals_costNothing() {
        let side = RenderedSide(.equalized(), level: 1e-38)
        side.write(4_000)
        side.render(4_000)
        #expect(side.source.contains { $0.isSubnormal })
        #expect(side.heard.count == 8_000 && side.heard.allSatisfy { !$0.isSubnormal })
    }

    /// For any sequence of changes: no gain has a corner or leaves its range, and each one reaches its target.
    @Test(arguments: 1...20) func gainsMoveWithoutACorner(seed: UInt64) {
        var random = Signal(seed: seed)
        func gains() -> ChannelGains {
            ChannelGains(volume: random.value(0...1), muted: random.noise() > 0.5, balance: random.value(-1...1))
        }
        var ramp = StreamGainRamp(gains())
        var course: [Float] = []
        for _ in 0..<100 {
            let start = FrameCount(course.count)
            let seconds = random.noise() > 0 ? 0 : random.value(0...0.1)
            ramp = ramp.moved(to: gains(), from: start, over: seconds, sampleRate: 48_000)
            for index in 0..<FrameCount(random.value(1...8_000)) { course.append(ramp.gains(at: start + index).left) }
        }
        let last = FrameCount(course.count)
        let other = ramp.continued(from: last, rate: 48_000, newRate: 96_000)
        #expect(abs(other.gains(at: 0).left - ramp.gains(at: last).left) < 1e-6)
        #expect(abs(other.gains(at: 2_000).left - ramp.gains(at: last + 1_000).left) < 1e-4)
        #expect(ramp.gains(at: last + 11_000) == ramp.to && other.gains(at: 22_000) == ramp.to)
        #expect(course.allSatisfy { $0 >= -1e-4 && $0 <= 1 + 1e-4 })
        let steps = zip(course, course.dropFirst()).map { $1 - $0 }
        let corners = zip(steps, steps.dropFirst()).map { abs($1 - $0) }
        #expect((steps.map(abs).max() ?? 0) < 0.001 && (corners.max() ?? 0) < 0.0001)
    }
}
