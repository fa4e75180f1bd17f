// SPDX-License-Identifier: Apache-2.0

import Service
import Testing
import Kernel

struct CaptureRingTests {
    @Test func fullRing_dropsWholeFramesAndCountsThem() {
        let ring = CaptureRing(frames: 4, channelCount: 2)
        ring.write((0..<12).map { Float($0) }, count: 12)
        #expect(ring.droppedFrames == 2)
        var taken: [Float] = []
        while ring.take({ taken += $0 }) {}
        #expect(taken == (0..<8).map { Float($0) })
        ring.write(nil, count: 2)
        taken = []
        while ring.take({ taken += $0 }) {}
        #expect(taken == [0, 0])
    }

    @Test func twoThreads_keepAllSamplesInOrder() {
        let ring = CaptureRing(frames: 64, channelCount: 1)
        let count = 100_000
        let producer = NamedThread("producer") {
            var next: Float = 0
            while Int(next) < count {
                let before = ring.droppedFrames
                ring.write([next], count: 1)
                if ring.droppedFrames == before { next += 1 }
            }
        }
        var expected: Float = 0
        var isInOrder = true
        while Int(expected) < count {
            _ = ring.take { samples in
                for sample in samples {
                    isInOrder = isInOrder && sample == expected
                    expected += 1
                }
            }
        }
        producer.join()
        #expect(isInOrder)
    }
}
