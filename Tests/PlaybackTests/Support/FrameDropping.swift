// SPDX-License-Identifier: Apache-2.0

import Audio
import Playback

/// Changes the tempo by skipping frames: n frames at an integer rate r become round(n / r).
struct FrameDropping: TimeStretching {
    func load() throws(MediaError) {}

    func stretcher(for format: AudioFormat, rate: Double, cents: Double) throws(MediaError) -> any FrameConverter {
        Dropper(channels: format.channelCount, step: Int(rate))
    }

    private final class Dropper: FrameConverter {
        let channels: Int
        let step: Int
        var phase = 0

        init(channels: Int, step: Int) { (self.channels, self.step) = (channels, step) }

        func convert(_ input: UnsafeBufferPointer<Float>, into output: UnsafeMutableBufferPointer<Float>) -> (
            taken: Int, given: Int
        ) {
            var given = 0
            let frames = min(input.count, output.count) / channels
            for frame in 0..<frames {
                if phase == 0 {
                    for channel in 0..<channels {
                        output[given * channels + channel] = input[frame * channels + channel]
                    }
                    given += 1
                }
                phase = (phase + 1) % step
            }
            return (frames, given)
        }

        func finish(into output: UnsafeMutableBufferPointer<Float>) -> Int { 0 }
        func reset() { phase = 0 }
    }
}
