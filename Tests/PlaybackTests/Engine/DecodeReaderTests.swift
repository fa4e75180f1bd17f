// SPDX-License-Identifier: Apache-2.0

import Audio
import Testing

@testable import Playback

@Suite struct DecodeReaderTests {
    /// Each sample is the number of its frame. The third call runs `atThirdCall`.
    private final class CountingDecoder: AudioDecoder {
        let media = MediaDescription(
            format: AudioFormat(sampleRate: 1_000, layout: .mono), duration: nil, isSeekable: false)
        let length: Int
        let atThirdCall: () -> Void
        private var frame = 0
        private(set) var calls = 0

        init(length: Int, atThirdCall: @escaping () -> Void = {}) {
            (self.length, self.atThirdCall) = (length, atThirdCall)
        }

        func decode(into samples: UnsafeMutableBufferPointer<Float>) throws(MediaError) -> DecodedFrames {
            calls += 1
            if calls == 3 { atThirdCall() }
            // Without frames, a reader that does not check would never return.
            if length == 0 { return DecodedFrames(frames: 0, endOfStream: calls == 1_000) }
            let count = min(samples.count, length - frame)
            for index in 0..<count { samples[index] = Float(frame + index) }
            frame += count
            return DecodedFrames(frames: count, endOfStream: frame == length)
        }

        func seek(to frame: FrameCount) throws(MediaError) -> FrameCount { frame }
    }

    /// Within a chunk, at its border, at the next existing frame, and beyond the end.
    @Test(arguments: [(0, 0), (0.25, 250), (0.256, 256), (0.2561, 257), (0.7, 700), (60, nil)] as [(Double, Int?)])
    func passesToThePosition_withoutASeek(seconds: Double, frame: Int?) throws {
        let reader = DecodeReader(CountingDecoder(length: 1_000), chunk: 256, cancellation: MediaCancellation())
        try reader.pass(to: seconds)
        try reader.fill()
        if let frame {
            #expect(reader.chunk.first == Float(frame) && abs(reader.position - Double(frame) / 1_000) < 1e-9)
        } else {
            #expect(reader.isAtEnd && reader.available == 0)
        }
    }

    /// On the way to a position, and with a decoder that finds no frame.
    @Test(arguments: [1_000_000, 0], [false, true]) func returns_whenCancelledOrInterrupted(length: Int, isSeek: Bool) {
        let cancellation = MediaCancellation()
        let decoder = CountingDecoder(length: length) {
            if isSeek { cancellation.interrupt() } else { cancellation.cancel() }
        }
        let reader = DecodeReader(decoder, chunk: 256, cancellation: cancellation)
        cancellation.interruptibly {
            let error = #expect(throws: MediaError.self) { try reader.pass(to: 900) }
            #expect(error?.code == .cancelled && decoder.calls == 3)
        }
    }
}
