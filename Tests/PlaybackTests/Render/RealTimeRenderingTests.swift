// SPDX-License-Identifier: Apache-2.0

import Audio
import Glibc
import HeapCounting
import PlaybackTesting
import Testing

@testable import Playback

/// What the rendering thread may not do, and what a change may not sound like (decision 0053).
@Suite struct RealTimeRenderingTests {
    /// Of a second.
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
        let sine = RenderedSine(ChangedEffect.all(false))
        let tap = TapRing(format: RenderedSine.format)
        sine.use(tap)
        var random = Signal(seed: 5)
        var calls: UInt = 0
        for round in -10..<300 {
            // In the rounds before, the runtime makes the metadata of generic types, each once in a process.
            if round == 0 { calls = 0 }
            sine.set(ChangedEffect.all(round % 2 == 0))
            sine.provide(4 * Self.tick)
            calls += Self.heapCalls {
                _ = sine.produce(Self.tick)
                switch abs(round) % 5 {
                case 0: sine.stepBack(300)
                case 1: sine.move(to: ChannelGains(volume: round % 2 == 0 ? 0.5 : 1, muted: false, balance: 0))
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

    /// A sine continues itself: x[n] = 2 cos(w) x[n-1] - x[n-2]. A step of the sound is a step away from that.
    @Test(arguments: ChangedEffect.each) func aHundredChangesASecond_leaveNoStep(effect: ChangedEffect) {
        let sine = RenderedSine(effect.settings(false))
        _ = (0..<50).map { _ in sine.render(Self.tick) }
        var heard: [Float] = []
        for round in 0..<200 {
            sine.set(effect.settings(round % 2 == 0))
            heard += sine.render(Self.tick)
        }
        let factor = 2 * cos(RenderedSine.step)
        var worst = 0.0
        for index in 4..<heard.count {
            worst = max(worst, abs(Double(heard[index]) - factor * Double(heard[index - 2]) + Double(heard[index - 4])))
        }
        let decibels = 20 * log10(worst / RenderedSine.level)
        #expect(decibels < -60, "\(decibels)")
    }

    @Test(arguments: ChangedEffect.each) func aChangeIsHeardWithin100Milliseconds(effect: ChangedEffect) {
        let (kept, changed) = (RenderedSine(effect.settings(false)), RenderedSine(effect.settings(false)))
        for side in [kept, changed] { for _ in 0..<50 { _ = side.render(Self.tick) } }
        // The last one of many that come in a row.
        for round in 0..<21 {
            changed.set(effect.settings(round % 2 == 0))
            _ = (kept.render(Self.tick), changed.render(Self.tick))
        }
        for _ in 0..<9 { _ = (kept.render(Self.tick), changed.render(Self.tick)) }
        let (was, now) = (kept.render(Self.tick), changed.render(Self.tick))
        let difference = zip(was, now).map { abs($0 - $1) }.max() ?? 0
        #expect(difference > 0.03, "\(difference)")
    }
}
