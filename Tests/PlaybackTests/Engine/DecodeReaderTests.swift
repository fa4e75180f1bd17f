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
