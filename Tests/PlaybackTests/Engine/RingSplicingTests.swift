// SPDX-License-Identifier: Apache-2.0

import Audio
import Kernel
import Testing

@testable import Playback

@Suite struct RingSplicingTests {
    private static let format = AudioFormat(sampleRate: 48_000, layout: .stereo)
    private let ring = FrameRing(format: format, capacity: 48_000, retained: 24_000)

    private func write(_ frames: Range<Int>, _ lease: FrameRing.Lease) {
        let samples = frames.flatMap { [Float($0), Float($0)] }
        _ = samples.withUnsafeBufferPointer { ring.write($0, lease: lease) }
    }

    /// Offers its splices to the ring, which takes none before `first`; by default none before the read index.
    private func splicing(
        pace: Double, lead: Int, notBefore first: FrameCount? = nil, begun: @escaping (RingSplicing.Begun) -> Void
    ) -> RingSplicing {
        RingSplicing(
            RingSplicing.Start(index: 7_000, pace: pace), lead: lead, Self.format,
            offer: { [ring] in $0.perform(in: ring, notBefore: first ?? ring.readIndex) }, begun: begun)
    }

    private func read(_ frames: Int) -> [Float] {
        var samples = [Float](repeating: 0, count: frames * 2)
        let count = samples.withUnsafeMutableBufferPointer { ring.read(into: $0.baseAddress!, frames: frames) }
        return (0..<count).map { samples[2 * $0] }
    }

    /// Equal frames stay the same, bit by bit, and none is heard twice.
    @Test func theSameSoundGoesOnUnchanged() {
        write(0..<20_000, ring.grant().lease)
        _ = read(5_000)
        let lease = ring.grant().lease
        var begun: RingSplicing.Begun?
        var splicing = splicing(pace: 1, lead: 480) { begun = $0 }
        (6_520..<16_000).flatMap { [Float($0), Float($0)] }.withUnsafeBufferPointer { splicing.append($0) }
        #expect(splicing.hasEnough && splicing.writeIndex == 16_000)
        let rest = splicing.splice(into: ring, lease) { $0.answer(by: .now) } ?? []
        _ = rest.withUnsafeBufferPointer { ring.write($0, lease: lease) }
        #expect(begun?.index == 7_000 && begun?.frame == 7_000)
        #expect(read(40_000) == (5_000..<16_000).map(Float.init))
    }

    /// At a fourth of the speed. Frames for the time that the old ones play are skipped.
    @Test func whatComesTooLate_beginsLater() {
        write(0..<20_000, ring.grant().lease)
        _ = read(5_000)
        let lease = ring.grant().lease
        var begun: RingSplicing.Begun?
        var first: FrameCount = 7_500
        var splicing = RingSplicing(
            RingSplicing.Start(index: 7_000, pace: 4), lead: 0, Self.format,
            offer: {
                $0.perform(in: ring, notBefore: first)
                first = 0
            }, begun: { begun = $0 })
        (0..<20_000).flatMap { [Float(7_000) + Float($0) / 4, 0] }.withUnsafeBufferPointer { splicing.append($0) }
        #expect(splicing.splice(into: ring, lease) { $0.answer(by: .now) } == nil && begun == nil)
        let rest = splicing.splice(into: ring, lease) { $0.answer(by: .now) }
        #expect(rest != nil)
        // 15 ms after the answer, and moved by at most the reach.
        #expect(begun?.index == 8_220 && abs((begun?.frame ?? 0) - 7_000 - 4 * 1_220) <= 480)
        let heard = read(40_000)
        #expect(heard[..<3_220] == ((5_000..<8_220).map(Float.init))[...])
        let steps = zip(heard, heard.dropFirst()).map { $1 - $0 }
        #expect((steps.min() ?? -9) > -1 && (steps.max() ?? 9) < 1.5)
    }

    /// At a fourth of the speed and slightly louder, 31 frames from the end.
    @Test func withFewOldFrames_theCrossfadeIsShorter() {
        write(0..<7_031, ring.grant().lease)
        let lease = ring.grant().lease
        var begun: RingSplicing.Begun?
        var splicing = splicing(pace: 4, lead: 480) { begun = $0 }
        (-480..<9_000).flatMap { [Float(7_100) + Float($0) / 4, 0] }.withUnsafeBufferPointer { splicing.append($0) }
        #expect(splicing.splice(into: ring, lease) { $0.answer(by: .now) } != nil)
        #expect(begun?.index == 7_000 && ring.writeIndex > 11_000)
        let heard = read(11_000)
        let steps = zip(heard, heard.dropFirst()).map { $1 - $0 }
        #expect((steps.min() ?? -9) > -10 && (steps.max() ?? 9) < 10)
        #expect(heard[..<7_001] == (0...7_000).map(Float.init)[...])
    }

    /// Two noises: a mix in which the gains' sum is 1 would be 3 dB quieter in the middle.
    @Test func unlikeSoundsKeepTheirLevel() {
        var seed: UInt32 = 1
        let noise = (0..<40_000).flatMap { _ -> [Float] in
            seed = seed &* 1_664_525 &+ 1_013_904_223
            let sample = Float(Int32(bitPattern: seed)) / 0x1p31
            return [sample, sample]
        }
        _ = noise[..<40_000].withUnsafeBufferPointer { ring.write($0, lease: ring.grant().lease) }
        let lease = ring.grant().lease
        var splicing = splicing(pace: 1, lead: 480) { _ in }
        noise[40_000...].withUnsafeBufferPointer { splicing.append($0) }
        #expect(splicing.splice(into: ring, lease) { $0.answer(by: .now) } != nil)
        let middle = read(12_000)[7_120..<7_360]
        let level = (middle.map { $0 * $0 }.reduce(0, +) / Float(middle.count)).squareRoot()
        #expect(abs(level * Float(3).squareRoot() - 1) < 0.1)
    }

    /// No old frames are left, or their lease is revoked: the new ones follow them.
    @Test func withoutOldFrames_theNewFramesFollow() {
        write(0..<7_400, ring.grant().lease)
        let lease = ring.grant().lease
        var begun: RingSplicing.Begun?
        var splicing = splicing(pace: 2, lead: 0, notBefore: 7_400) { begun = $0 }
        (0..<9_000).flatMap { [Float($0), 0] }.withUnsafeBufferPointer { splicing.append($0) }
        #expect(splicing.splice(into: ring, lease) { $0.answer(by: .now) } == nil && begun == nil)
        let rest = splicing.splice(into: ring, lease) { _ in nil }
        #expect(rest?.first == 800 && begun?.index == 7_400 && begun?.frame == 7_800)
        let splice = RingSplice(at: 100, [], lease)
        _ = ring.cut()
        splice.perform(in: ring, notBefore: 0)
        #expect(ring.writeIndex == 7_400)
    }
}
