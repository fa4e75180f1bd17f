// SPDX-License-Identifier: Apache-2.0

import Audio
import Foundation
import OutputTesting
import Playback
import SoundFiles
import Testing
import Kernel
import KernelTesting

@Suite(.serialized) final class SoftwareOutputTests {
    private let temporary: TemporaryFolder
    private var folder: String { temporary.path }

    init() throws { temporary = try TemporaryFolder() }

    /// The samples of the WAV file, whose header must agree with its size.
    private func samples(_ path: String) throws -> [Int16] {
        let data = try Data(contentsOf: URL(fileURLWithPath: path))
        func number(_ offset: Int) -> Int { (0..<4).reduce(0) { $0 | Int(data[offset + $1]) << (8 * $1) } }
        #expect(number(4) == data.count - 8 && number(40) == data.count - 44)
        return stride(from: 44, to: data.count, by: 2).map {
            Int16(bitPattern: UInt16(data[$0]) | UInt16(data[$0 + 1]) << 8)
        }
    }

    /// The samples that a file output writes while `body` uses it.
    private func recorded(_ body: (OutputHarness) throws -> Void) throws -> [Int16] {
        let path = folder + "/recorded.wav"
        let harness = OutputHarness(PacedOutput.file(path) { _ in })
        try body(harness)
        harness.output.shutdown()
        return try samples(path)
    }

    @Test func bothOutputsKeepTheContract() throws {
        try checkContract { PacedOutput.null() }
        try checkContract { [folder] in PacedOutput.file(folder + "/a.wav") { _ in } }
    }

    @Test func nullOutputKeepsThePreferredFormat() throws {
        let harness = OutputHarness(PacedOutput.null())
        let format = AudioFormat(sampleRate: 96_000, layout: .mono)
        try harness.open(1, format)
        #expect(harness.ring?.format == format)
    }

    @Test func streamsFollowEachOtherInOneFile_andPausesAreNotWritten() throws {
        let written = try recorded { harness in
            try harness.open()
            for generation in 1...2 as ClosedRange<UInt64> {
                if generation == 2 { try harness.open(2, AudioFormat(sampleRate: 8_000, layout: .mono)) }
                #expect(harness.ring?.format == AudioFormat(sampleRate: 44_100, layout: .stereo))
                try harness.fill(2_205, Float(generation) / 4)
                harness.send(.start(), generation, expecting: "started")
                harness.send(.drain, generation, expecting: "drained")
            }
        }
        #expect(written == Array(repeating: 8_192, count: 4_410) + Array(repeating: 16_384, count: 4_410))
    }

    @Test func lateFrames_areHeard() throws {
        let harness = OutputHarness(PacedOutput.null())
        try harness.open()
        harness.send(.start())
        for _ in 1...2 {
            try harness.fill(882, 0.5)
            harness.expect("started")
            harness.expect("underrun")
        }
    }

    @Test(arguments: [(0, 1, 0), (0.5, 0.5, 4_096)] as [(right: Float, duck: Double, heard: Int16)])
    func gainAndDuckAreFactors(right: Float, duck: Double, heard: Int16) throws {
        let written = try recorded { harness in
            harness.output.perform(.setGain(.balance(ChannelGains(left: 0.5, right: right, other: 0))))
            harness.output.perform(.setGain(.ducking(duck, seconds: 1)))
            try harness.open()
            try harness.fill(441, 0.5)
            harness.playOut()
        }
        #expect(written == Array(repeating: [Int16(8_192 * duck), heard], count: 441).flatMap { $0 })
    }

    @Test func pauseFadesOutAndIn() throws {
        var index = 0
        let written = try recorded { harness in
            try harness.open()
            // A second: on a busy machine the pause comes late.
            try harness.fill(44_100, 0.5)
            harness.send(.start(), expecting: "started")
            #expect(harness.isQuiet("underrun", seconds: 0.05))
            harness.send(.pause(), expecting: "paused")
            index = Int(harness.output.clock().ringIndex)
            harness.playOut()
        }
        let left = written.enumerated().filter { $0.offset % 2 == 0 }.map { Int($0.element) }
        #expect(left.count == 44_100 && left[index - 1] <= 1 && left[index] == 0)
        #expect(zip(left, left.dropFirst()).allSatisfy { abs($0 - $1) < 200 })
        #expect(left.last == 16_384)
    }

    /// Decision 0053: a file output writes bit-exactly the samples that the renderer produces in one call.
    @Test func effectsEqualTheRenderersOutput() throws {
        var effects = EffectSettings()
        effects.isEnabled = true
        effects.equalizer.isEnabled = true
        effects.equalizer.bands = [EffectSettings.Band(.peak, frequency: 500, gain: 18, q: 1)]
        effects.loudness.mode = .track
        let loudness = TrackLoudness(trackGain: -3)
        let samples = (0..<44_100).map { Float(($0 &* 7_919) % 65_536 - 32_768) / 40_000 }

        func write(_ ring: FrameRing) {
            let lease = ring.grant(loudness, isInAlbum: false).lease
            _ = samples.withUnsafeBufferPointer { ring.write($0, lease: lease) }
        }
        let written = try recorded { harness in
            harness.output.perform(.setEffects(effects))
            try harness.open()
            write(try #require(harness.ring))
            harness.playOut()
        }

        let ring = FrameRing(
            format: AudioFormat(sampleRate: 44_100, layout: .stereo), capacity: 22_050, retained: 0)
        var renderer = StreamRenderer(ring: ring)
        let stage = try #require(EffectStage.changed(nil, to: effects, ring: ring))
        renderer.use(stage)
        write(ring)
        var rendered = [Float](repeating: 0, count: samples.count)
        #expect(renderer.produce(into: &rendered, frames: 22_050) == 22_050)
        var expected = [Int16](repeating: 0, count: samples.count)
        PCM16Quantizer.quantize(rendered, into: &expected, count: samples.count)
        let isEqual = written == expected
        withExtendedLifetime(stage) { #expect(isEqual && rendered[0] != samples[0]) }
    }

    @Test func fileThatCannotBeCompleted_isReported() throws {
        let path = folder + "/g.wav"
        let failures = Mailbox<String>()
        let harness = OutputHarness(PacedOutput.file(path) { failures.post($0) })
        try harness.open()
        try harness.fill(441, 0.5)
        harness.playOut()
        // Simulates a failing disk: from here on, the file is open for reading only.
        let unwritable = open(path, O_RDONLY | O_CLOEXEC)
        defer { close(unwritable) }
        for name in try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd") {
            guard let number = Int32(name), number != unwritable,
                let file = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(name)")
            else { continue }
            if file.hasSuffix(path) { #expect(dup2(unwritable, number) >= 0) }
        }
        harness.output.shutdown()
        #expect(failures.take(until: .now.advanced(bySeconds: 30)).first?.contains("not complete") == true)
    }

    @Test func unwritablePathIsReportedAndRefused() throws {
        let harness = OutputHarness(PacedOutput.file(folder + "/none/e.wav") { _ in })
        guard case .availability(.unavailable(let cause))? = harness.expect("availability") else {
            return #expect(Bool(false), "available")
        }
        #expect(cause.contains("No such file or directory"))
        harness.output.perform(.open(AudioFormat(sampleRate: 44_100, layout: .stereo), Generation(1)))
        guard case .failed(_, .refused)? = harness.expect("failed") else { return #expect(Bool(false), "not refused") }
    }

    @Test func writerIsSampleExact() throws {
        let format = AudioFormat(sampleRate: 44_100, layout: .stereo)
        let all = (Int16.min...Int16.max).map { Float($0) / 32_768 }
        var writer = try WaveFileWriter(path: folder + "/f.wav", format: format)
        try all.withUnsafeBufferPointer { buffer throws(WaveFileWriter.Failure) in try writer.write(buffer) }
        try writer.finish()
        #expect(try samples(folder + "/f.wav") == Array(Int16.min...Int16.max))
    }
}
