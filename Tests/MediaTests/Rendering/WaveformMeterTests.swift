// SPDX-License-Identifier: Apache-2.0

import Audio
import Media
import Playback
import Testing

@Suite struct WaveformMeterTests {
    @Test func peaks_followTheLoudness_ofTheLouderChannel() throws {
        let half = 50 * 1_024
        let meter = try WaveformMeter(Steps(frames: 2 * half, loudFrom: half))
        #expect(abs(meter.duration - Double(2 * half) / 44_100) < 1e-9)
        #expect(meter.peaks(2).map { ($0 * 100).rounded() } == [25, 80])
        #expect(
            meter.peaks(100).prefix(50).allSatisfy { $0 < 0.3 } && meter.peaks(100).suffix(50).allSatisfy { $0 > 0.7 })
    }

    @Test func shortMedia_givesAsManyPeaksAsAskedFor() throws {
        #expect(try WaveformMeter(Steps(frames: 10, loudFrom: 0)).peaks(4).count == 4)
        #expect(try WaveformMeter(Steps(frames: 0, loudFrom: 0)).peaks(3) == [0, 0, 0])
    }

    /// A quarter of full scale, from some frame on 0.8, in the right channel; beyond full scale in none.
    private final class Steps: AudioDecoder {
        let media: MediaDescription
        private let frames: Int
        private let loudFrom: Int
        private var position = 0

        init(frames: Int, loudFrom: Int) {
            self.frames = frames
            self.loudFrom = loudFrom
            media = MediaDescription(
                format: AudioFormat(sampleRate: 44_100, layout: .stereo), duration: FrameCount(frames))
        }

        func decode(into samples: UnsafeMutableBufferPointer<Float>) throws(MediaError) -> DecodedFrames {
            let count = min(samples.count / 2, 777, frames - position)
            for frame in 0..<count {
                samples[frame * 2] = 0.1
                samples[frame * 2 + 1] = position + frame < loudFrom ? -0.25 : 0.8
            }
            position += count
            return DecodedFrames(frames: count, endOfStream: position == frames)
        }

        func seek(to frame: FrameCount) throws(MediaError) -> FrameCount { frame }
    }
}
