// SPDX-License-Identifier: Apache-2.0

import Audio
import Kernel
import Media
import Playback
import Testing

@Suite struct LoudnessMeasuringTests {
    @Test func aChangeOfTheFormat_endsTheMeasurement() throws {
        let measured = try CountingMeasurement().loudness(of: NarrowingDecoder()) { false }
        #expect(measured?.gatedSeconds == 100)
    }
}

/// 100 stereo frames, then as many mono frames as the caller has room for.
private final class NarrowingDecoder: AudioDecoder {
    private(set) var media = MediaDescription(format: AudioFormat(sampleRate: 100, layout: .stereo), duration: nil)

    func decode(into samples: UnsafeMutableBufferPointer<Float>) throws(MediaError) -> DecodedFrames {
        guard media.format.channelCount == 2 else { return DecodedFrames(frames: samples.count, endOfStream: true) }
        samples[..<200].update(repeating: 1)
        media.format = AudioFormat(sampleRate: 100, layout: .mono)
        return DecodedFrames(frames: 100, mediaChanged: true)
    }

    func seek(to frame: FrameCount) throws(MediaError) -> FrameCount { throw MediaError(.unsupported, "not sought") }
}

/// Gives the number of stereo frames as the gated seconds.
private final class CountingMeasurement: LoudnessMeasuring, LoudnessMeasurement, @unchecked Sendable {
    private var frames = 0

    func measurement(of format: AudioFormat) throws(MissingLibrary) -> (any LoudnessMeasurement)? { self }

    func add(_ samples: UnsafeBufferPointer<Float>) { frames += samples.count / 2 }

    var result: MediaLoudness? { MediaLoudness(loudness: 0, peak: 1, gatedSeconds: Double(frames)) }
}
