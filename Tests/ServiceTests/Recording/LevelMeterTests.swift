// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Service

/// SPEC rows 21 to 23.
struct LevelMeterTests {
    private func levels(_ samples: [Float], channels: Int = 1, rate: Int = 8_000) -> [[ChannelLevel]] {
        var meter = LevelMeter(sampleRate: rate, channelCount: channels)
        var levels: [[ChannelLevel]] = []
        // In uneven pieces, as a source delivers them.
        var rest = samples[...]
        while !rest.isEmpty {
            let piece = Array(rest.prefix(37 * channels))
            rest = rest.dropFirst(37 * channels)
            piece.withUnsafeBufferPointer { meter.add($0) { levels.append($0) } }
        }
        return levels
    }

    @Test func tenthOfASecond_givesOneReading() {
        #expect(levels(Array(repeating: 0, count: 8_000)).count == 10)
        #expect(levels(Array(repeating: 0, count: 799)).isEmpty)
    }

    @Test func silence_isTheFloor_andFullScaleIsZero() {
        #expect(levels(Array(repeating: 0, count: 800))[0][0] == ChannelLevel(average: -160, peak: -160))
        #expect(levels(Array(repeating: 1, count: 800))[0][0] == ChannelLevel(average: 0, peak: 0))
        #expect(levels(Array(repeating: 3, count: 800))[0][0] == ChannelLevel(average: 0, peak: 0))
        #expect(levels(Array(repeating: 1e-9, count: 800))[0][0].peak == -160)
    }

    @Test func squareWave_hasItsAmplitude_inEachChannel() {
        let samples = (0..<1_600).map { index -> Float in index % 2 == 0 ? 0.1 : (index / 2) % 2 == 0 ? 0.01 : -0.01 }
        let reading = levels(samples, channels: 2)[0]
        #expect(abs(reading[0].average + 20) < 0.01 && abs(reading[0].peak + 20) < 0.01)
        #expect(abs(reading[1].average + 40) < 0.01 && abs(reading[1].peak + 40) < 0.01)
    }

    @Test func normalized_spansTheScale() {
        #expect(ChannelLevel.normalized(-160) == 0)
        #expect(ChannelLevel.normalized(-80) == 0.5)
        #expect(ChannelLevel.normalized(0) == 1)
    }
}
