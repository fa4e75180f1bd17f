// SPDX-License-Identifier: Apache-2.0

import Audio
import Kernel
import PlaybackTesting
import Testing

@testable import Playback

@Suite(.timeLimit(.minutes(10))) struct TempoChangeTests {
    /// What a stretcher gives first is no sound that goes on: it begins 0.1 s before the place, and that much is left out.
    @Test func aStretcherRunsBeforeThePlace_andTheNextFrameIsThatOfThePlace() throws {
        let script = ScriptedOpener.Script(frames: 441_000, base: 0, step: 1e-6)
        let rig = PlayerRig(["a": script], stretching: LateSounding())
        rig.add(["a"], play: true)
        #expect(rig.play { $0.output.captured.count >= 44_100 })
        let count = rig.output.captured.count
        rig.send(.apply(.with { $0.playbackRate = 2 }))
        #expect(rig.play { $0.output.captured.count >= count + 44_100 && $0.player.snapshot.clock.rate == 2 })
        let heard = rig.output.captured
        let jump = try #require(
            heard.indices.dropFirst().first { heard[$0] - heard[$0 - 1] > 1.5e-6 || heard[$0] == 0 })
        let first = Int((heard[jump] * 1e6).rounded())
        #expect(abs(first - jump) <= 882)
        let isRight = (0..<40_000).allSatisfy { abs(heard[jump + $0] - Float(first + 2 * $0) * 1e-6) < 1e-6 }
        #expect(isRight)
    }
}

/// Silence for its first 0.1 s, as the joins of a stretcher are not those of a sound that goes on.
private struct LateSounding: TimeStretching {
    func load() throws(MediaError) {}

    func stretcher(for format: AudioFormat, rate: Double, cents: Double) throws(MediaError) -> any FrameConverter {
        Late(
            try FrameDropping().stretcher(for: format, rate: rate, cents: cents),
            silent: Int(format.frames(0.1)) * format.channelCount)
    }

    private final class Late: FrameConverter {
        let inner: any FrameConverter
        var silent: Int

        init(_ inner: any FrameConverter, silent: Int) { (self.inner, self.silent) = (inner, silent) }

        func convert(_ input: UnsafeBufferPointer<Float>, into output: UnsafeMutableBufferPointer<Float>) -> (
            taken: Int, given: Int
        ) {
            let (taken, given) = inner.convert(input, into: output)
            let count = min(silent, given * 2)
            output[..<count].update(repeating: 0)
            silent -= count
            return (taken, given)
        }

        func finish(into output: UnsafeMutableBufferPointer<Float>) -> Int { inner.finish(into: output) }
        func reset() { inner.reset() }
    }
}
