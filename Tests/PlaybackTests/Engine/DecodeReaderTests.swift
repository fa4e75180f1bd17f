// SPDX-License-Identifier: Apache-2.0

import Audio
import Testing

@testable import Playback

@Suite struct DecodeReaderTests {
    /// Finds no frame, call after call; at the `wanted`-th one something else is wanted.
    private final class EmptyDecoder: AudioDecoder {
        let media = MediaDescription(format: AudioFormat(sampleRate: 44_100, layout: .stereo), duration: nil)
        let wanted: () -> Void
        private(set) var calls = 0

        init(wanted: @escaping () -> Void) { self.wanted = wanted }

        func decode(into samples: UnsafeMutableBufferPointer<Float>) throws(MediaError) -> DecodedFrames {
            calls += 1
            if calls == 3 { wanted() }
            // A reader that does not look would go on for ever.
            return DecodedFrames(frames: 0, endOfStream: calls == 1_000)
        }

        func seek(to frame: FrameCount) throws(MediaError) -> FrameCount { frame }
    }

    /// Its samples tell their frames; at the third call something else is wanted.
    private final class CountingDecoder: AudioDecoder {
        let media = MediaDescription(
            format: AudioFormat(sampleRate: 1_000, layout: .mono), duration: nil, isSeekable: false)
        let length: Int
        let wanted: () -> Void
        private var frame = 0
        private(set) var calls = 0

        init(length: Int, wanted: @escaping () -> Void = {}) { (self.length, self.wanted) = (length, wanted) }

        func decode(into samples: UnsafeMutableBufferPointer<Float>) throws(MediaError) -> DecodedFrames {
            calls += 1
            if calls == 3 { wanted() }
            let count = min(samples.count, length - frame)
            for index in 0..<count { samples[index] = Float(frame + index) }
            frame += count
            return DecodedFrames(frames: count, endOfStream: frame == length)
        }

        func seek(to frame: FrameCount) throws(MediaError) -> FrameCount { frame }
    }

    /// Within a chunk, at its border, and at the next frame that there is.
    @Test(arguments: [(0, 0), (0.25, 250), (0.256, 256), (0.2561, 257), (0.7, 700)])
    func passesToThePlace_withoutASearch(seconds: Double, frame: Int) throws {
        let reader = DecodeReader(CountingDecoder(length: 1_000), chunk: 256, cancellation: MediaCancellation())
        try reader.pass(to: seconds)
        try reader.fill()
        #expect(reader.chunk.first == Float(frame) && abs(reader.position - Double(frame) / 1_000) < 1e-9)
    }

    @Test func passesToTheEnd_ofWhatIsShorter() throws {
        let reader = DecodeReader(CountingDecoder(length: 1_000), chunk: 256, cancellation: MediaCancellation())
        try reader.pass(to: 60)
        try reader.fill()
        #expect(reader.isAtEnd && reader.available == 0)
    }

    @Test func isLeft_onItsWayToThePlace() {
        let cancellation = MediaCancellation()
        let decoder = CountingDecoder(length: 1_000_000) { cancellation.cancel() }
        let reader = DecodeReader(decoder, chunk: 256, cancellation: cancellation)
        let error = #expect(throws: MediaError.self) { try reader.pass(to: 900) }
        #expect(error?.code == .cancelled && decoder.calls == 3)
    }

    @Test func decoderWithoutFrames_isLeft_whenTheItemIs() {
        let cancellation = MediaCancellation()
        let decoder = EmptyDecoder { cancellation.cancel() }
        let reader = DecodeReader(decoder, chunk: 1_024, cancellation: cancellation)
        let error = #expect(throws: MediaError.self) { try reader.fill() }
        #expect(error?.code == .cancelled && decoder.calls == 3)
    }

    @Test func decoderWithoutFrames_isLeft_forAJump() {
        let cancellation = MediaCancellation()
        let decoder = EmptyDecoder { cancellation.interrupt() }
        let reader = DecodeReader(decoder, chunk: 1_024, cancellation: cancellation)
        cancellation.interruptibly {
            let error = #expect(throws: MediaError.self) { try reader.fill() }
            #expect(error?.code == .cancelled && decoder.calls == 3)
        }
    }
}
