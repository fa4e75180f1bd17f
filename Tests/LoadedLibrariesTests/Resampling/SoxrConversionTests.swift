// SPDX-License-Identifier: Apache-2.0

import Glibc
import Playback
import LoadedLibraries
import Testing

struct SoxrConversionTests {
    @Test(arguments: [22_050, 48_000, 96_000]) func toneIsCleanAndCounted(rate: Int) throws {
        let converter = try SoxrConversion().converter(from: Double(rate), to: 44_100, channelCount: 1)
        let output = convert(tone(rate), by: converter, chunk: 1_000)
        #expect(output.count == 44_100)
        // Least-squares fit of a sine of 1 kHz over whole periods: the correlation with sine and cosine.
        let middle = (4_410..<39_690).map { Double(output[$0]) }
        var (a, b) = (0.0, 0.0)
        func phase(_ n: Int) -> Double { 2 * .pi * 1_000 * Double(n + 4_410) / 44_100 }
        for (n, sample) in middle.enumerated() {
            a += sample * sin(phase(n)) * 2 / Double(middle.count)
            b += sample * cos(phase(n)) * 2 / Double(middle.count)
        }
        let residue = middle.enumerated().reduce(0.0) { sum, item in
            let error = item.element - a * sin(phase(item.offset)) - b * cos(phase(item.offset))
            return sum + error * error
        }
        let decibels = 10 * log10(residue / (Double(middle.count) * (a * a + b * b) / 2))
        print("THD+N \(rate) Hz: \(decibels) dB")
        #expect(decibels < -90)
        // Aligned: no phase shift against the ideal tone.
        #expect(abs(a - 0.5) < 1e-4 && abs(b) < 1e-4)
    }

    @Test func chunkSizeDoesNotMatter_andResetStartsAfresh() throws {
        let converter = try SoxrConversion().converter(from: 48_000, to: 44_100, channelCount: 1)
        let input = tone(48_000, seconds: 0.5)
        let small = convert(input, by: converter, chunk: 64)
        converter.reset()
        let large = convert(input, by: converter, chunk: 4_096)
        #expect(small.count == 22_050)
        #expect(small == large)
    }

    @Test(arguments: [1, 7, 1_001, 30_000]) func framesAreRounded(count: Int) throws {
        let converter = try SoxrConversion().converter(from: 22_050, to: 48_000, channelCount: 1)
        let output = convert([Float](repeating: 0.5, count: count), by: converter, chunk: 512)
        #expect(output.count == Int((Double(count) * 48_000 / 22_050).rounded()))
    }

    @Test func impulseStaysWhereItIs() throws {
        var input = [Float](repeating: 0, count: 48_000)
        input[4_800] = 1
        let converter = try SoxrConversion().converter(from: 48_000, to: 44_100, channelCount: 1)
        let output = convert(input, by: converter, chunk: 4_096)
        let peak = output.indices.max { output[$0] < output[$1] }
        #expect(peak == 4_410)
    }

    @Test func impossibleRateIsUnsupported() {
        #expect(throws: MediaError.self) { _ = try SoxrConversion().converter(from: 0, to: 44_100, channelCount: 2) }
    }
}
