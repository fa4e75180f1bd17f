// SPDX-License-Identifier: Apache-2.0

import Audio
import Glibc
import LoadedLibraries
import Playback
import Testing

/// SPEC rows 83, 84, 285.
@Suite struct SoundTouchStretchingTests {
    private static let format = AudioFormat(sampleRate: 44_100, layout: .mono)

    private func stretcher(rate: Double, cents: Double = 0) throws -> any FrameConverter {
        try SoundTouchStretching().stretcher(for: Self.format, rate: rate, cents: cents)
    }

    private func stretched(_ input: [Float], rate: Double, cents: Double = 0, chunk: Int = 4_096) throws -> [Float] {
        convert(input, by: try stretcher(rate: rate, cents: cents), chunk: chunk)
    }

    /// The frequency of a sine, between its first and last zero crossing.
    private func frequency(_ samples: ArraySlice<Float>) -> Double {
        var rises: [Double] = []
        for index in samples.indices.dropFirst() where samples[index - 1] < 0 && samples[index] >= 0 {
            let part = samples[index - 1] / (samples[index - 1] - samples[index])
            rises.append(Double(index - 1) + Double(part))
        }
        guard let first = rises.first, let last = rises.last, rises.count > 1 else { return 0 }
        return Double(rises.count - 1) / (last - first) * 44_100
    }

    @Test(arguments: [0.25, 0.5, 1.37, 2, 4]) func theSpeedChanges_andThePitchStays(rate: Double) throws {
        let output = try stretched(tone(seconds: 4), rate: rate)
        #expect(output.count == Int((4 * 44_100 / rate).rounded()))
        let middle = output[output.count / 10..<output.count * 9 / 10]
        #expect(abs(1_200 * log2(frequency(middle) / 1_000)) < 5)
    }

    @Test(arguments: [-1_200.0, -37, 700, 1_200]) func thePitchChanges_andTheLengthStays(cents: Double) throws {
        let output = try stretched(tone(seconds: 2), rate: 1, cents: cents)
        #expect(output.count == 2 * 44_100)
        #expect(abs(1_200 * log2(frequency(output[8_820..<79_380]) / 1_000) - cents) < 5)
    }

    @Test(arguments: [1, 2, 7, 1_001, 30_000], [0.25, 0.9, 3, 4])
    func theLengthIsExact(count: Int, rate: Double) throws {
        for cents in [0.0, -1_200, 1_200] {
            let output = try stretched([Float](repeating: 0.5, count: count), rate: rate, cents: cents)
            #expect(output.count == max(1, Int((Double(count) / rate).rounded())))
        }
    }

    /// An offline render must equal the output, although it decodes in other portions.
    @Test func theSizeOfChunksChangesNoSample() throws {
        var random = SystemRandomNumberGenerator()
        let input = tone(seconds: 2).map { $0 + Float.random(in: -0.2...0.2, using: &random) }
        let small = try stretched(input, rate: 1.5, cents: 300, chunk: 100)
        let large = try stretched(input, rate: 1.5, cents: 300, chunk: 88_200)
        let isEqual = small == large
        #expect(isEqual && small.count == 58_800)
    }

    @Test func resetBeginsAnew() throws {
        let stretcher = try stretcher(rate: 1.5, cents: 300)
        for _ in 0..<2 {
            let output = convert(tone(seconds: 2), by: stretcher, chunk: 4_096)
            let middle = output[(output.count / 4)..<(output.count * 3 / 4)]
            #expect(output.count == 58_800 && abs(1_200 * log2(frequency(middle) / 1_000) - 300) < 5)
            stretcher.reset()
        }
    }

    @Test func formatsBeyondTheLibrary_areUnsupported() {
        let format = AudioFormat(sampleRate: 384_000, layout: .stereo)
        #expect(throws: MediaError.self) { _ = try SoundTouchStretching().stretcher(for: format, rate: 2, cents: 0) }
    }

    /// In a process of its own: the library is loaded once.
    @Test func loadingTheLibrary_keepsDenormalNumbers() async {
        await #expect(processExitsWith: .success) {
            let tiny: [Float] = [Float.leastNormalMagnitude]
            _ = try SoundTouchStretching().stretcher(
                for: AudioFormat(sampleRate: 44_100, layout: .mono), rate: 2, cents: 0)
            #expect(tiny.map { $0 * 0.5 }[0] > 0)
        }
    }
}
