// SPDX-License-Identifier: Apache-2.0

import Audio
import Playback

/// Changes the tempo by skipping frames: n frames at an integer rate r become round(n / r).
struct FrameDropping: TimeStretching {
    /// Seconds of silence at first, because a stretcher's start is not continuous.
    var silence = 0.0

    func load() throws(MediaError) {}

    func stretcher(for format: AudioFormat, rate: Double, cents: Double) throws(MediaError) -> any FrameConverter {
        Dropper(channels: format.channelCount, step: Int(rate), silent: Int(format.frames(silence)))
    }

    private final class Dropper: FrameConverter {
        let channels: Int
        let step: Int
        var silent: Int
        var phase = 0

        init(channels: Int, step: Int, silent: Int) {
            (self.channels, self.step, self.silent) = (channels, step, silent)
        }

        func convert(_ input: UnsafeBufferPointer<Float>, into output: UnsafeMutableBufferPointer<Float>) -> (
            taken: Int, given: Int
        ) {
            var given = 0
            let frames = min(input.count, output.count) / channels
            for frame in 0..<frames {
                if phase == 0 {
                    for channel in 0..<channels {
                        output[given * channels + channel] = silent > 0 ? 0 : input[frame * channels + channel]
                    }
                    silent = max(0, silent - 1)
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
