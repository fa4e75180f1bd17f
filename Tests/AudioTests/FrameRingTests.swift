// SPDX-License-Identifier: Apache-2.0

import Audio
import Synchronization
import Testing
import Kernel

struct FrameRingTests {
    private func ring(capacity: Int, retained: Int = 0) -> FrameRing {
        FrameRing(format: AudioFormat(sampleRate: 8_000, layout: .stereo), capacity: capacity, retained: retained)
    }

    /// A ring with unread frames.
    private func ring(
        capacity: Int, retained: Int = 0, frames: Range<Int>
    ) -> (ring: FrameRing, lease: FrameRing.Lease) {
        let ring = ring(capacity: capacity, retained: retained)
        let lease = ring.grant().lease
        _ = ring.write(frames: frames, lease: lease)
        return (ring, lease)
    }

    @Test func writeFillsTheFreeSpace_whenOfferedMore() {
        let ring = ring(capacity: 5)
        let (lease, start) = ring.grant()
        #expect(start == 0)
        #expect(ring.write(frames: 0..<4, lease: lease) == .wrote(frames: 4, start: 0))
        #expect(ring.write(frames: 4..<9, lease: lease) == .wrote(frames: 1, start: 4))
        #expect(ring.write(frames: 5..<9, lease: lease) == .wrote(frames: 0, start: 5))
        #expect(ring.read(3) == [0, 1, 2])
        #expect(ring.unread == 2)
        #expect(ring.write(frames: 5..<9, lease: lease) == .wrote(frames: 3, start: 5))
        #expect(ring.read(9) == [3, 4, 5, 6, 7])
        #expect(ring.read(9) == [])
        #expect(ring.readIndex == 8 && ring.writeIndex == 8)
    }

    @Test func cutFading_fadesTheLastFramesOut() {
        let (ring, _) = ring(capacity: 400, retained: 400, frames: 0..<300)
        let before = ring.read(250)
        ring.cutFading()
        #expect(ring.rewind(250) == 250)
        let heard = ring.read(90) + ring.read(140) + ring.read(70)
        #expect(heard.count == 300 && heard[..<220] == before[..<220])
        #expect(zip(heard[230...], heard[231...]).allSatisfy { $0 >= $1 } && heard[299] == 0)
        #expect(ring.write(frames: 300..<310, lease: ring.grant().lease) == .wrote(frames: 10, start: 300))
        #expect(ring.read(10) == Array(300..<310))
    }

    @Test func rewindReturnsToTheRetainedFrames() {
        let (ring, lease) = ring(capacity: 4, retained: 3, frames: 0..<4)
        #expect(ring.read(4) == [0, 1, 2, 3])
        #expect(ring.write(frames: 4..<8, lease: lease) == .wrote(frames: 4, start: 4))
        #expect(ring.rewind(9) == 3)
        #expect(ring.rewind(1) == 0)
        #expect(ring.write(frames: 8..<9, lease: lease) == .wrote(frames: 0, start: 8))
        #expect(ring.read(9) == [1, 2, 3, 4, 5, 6, 7])
    }

    @Test func copyReadsAllRetainedAndWrittenFrames() {
        let (ring, lease) = ring(capacity: 4, retained: 3, frames: 0..<4)
        #expect(ring.read(4) == [0, 1, 2, 3])
        _ = ring.write(frames: 4..<8, lease: lease)
        var samples = [Float](repeating: 0, count: 8)
        #expect(ring.copy(at: 3, into: &samples, frames: 4) == 4)
        #expect(samples == [3, 3.5, 4, 4.5, 5, 5.5, 6, 6.5])
        #expect(ring.copy(at: 7, into: &samples, frames: 4) == 1)
        #expect(ring.copy(at: 8, into: &samples, frames: 4) == 0)
        #expect(ring.copy(at: 0, into: &samples, frames: 4) == 0)
        #expect(ring.oldest == 1 && ring.readIndex == 4)
        ring.pass(9)
        #expect(ring.readIndex == 8 && ring.oldest == 5)
    }

    /// Also across the end of the memory. Read frames stay; without enough space, all frames stay.
    @Test func replaceReplacesAllFramesFromAnIndexOn() {
        let (ring, old) = ring(capacity: 6, retained: 2, frames: 0..<6)
        #expect(ring.read(4) == [0, 1, 2, 3])
        let lease = ring.grant().lease
        func replace(from index: FrameCount, _ frames: Range<Int>, _ lease: FrameRing.Lease) -> Bool {
            ring.replace(from: index, with: frames.flatMap { [Float($0), Float($0) + 0.5] }, lease: lease)
        }
        #expect(!replace(from: 5, 50..<52, old))
        #expect(!replace(from: 3, 50..<52, lease) && !replace(from: 7, 50..<52, lease))
        #expect(!replace(from: 5, 50..<56, lease) && ring.writeIndex == 6)
        #expect(replace(from: 5, 50..<55, lease) && ring.writeIndex == 10)
        #expect(replace(from: 9, 90..<91, lease) && ring.writeIndex == 10)
        #expect(ring.read(9) == [4, 50, 51, 52, 53, 90])
        #expect(replace(from: 10, 60..<62, lease) && ring.rewind(2) == 2 && ring.read(9) == [53, 90, 60, 61])
    }

    @Test func sectionsHaveTheLoudnessOfTheirFrames() {
        let ring = ring(capacity: 100)
        #expect(ring.section(at: 0).loudness == nil && ring.section(at: 0).end == .max)
        var lease = ring.grant().lease
        _ = ring.write(frames: 0..<10, lease: lease)
        // The next track replaces a track without frames.
        _ = ring.grant(TrackLoudness(trackGain: 1), isInAlbum: false)
        lease = ring.grant(TrackLoudness(trackGain: -3, albumPeak: 0.5), isInAlbum: true).lease
        _ = ring.write(frames: 10..<11, lease: lease)
        lease = ring.grant(nil, isInAlbum: false).lease
        _ = ring.write(frames: 11..<20, lease: lease)
        #expect(ring.section(at: 9).loudness == nil && ring.section(at: 9).end == 10)
        #expect(ring.section(at: 10).loudness == TrackLoudness(trackGain: -3, albumPeak: 0.5))
        #expect(ring.section(at: 10).isInAlbum && ring.section(at: 10).end == 11)
        #expect(ring.section(at: 11).loudness == nil && ring.section(at: 11).end == .max)
        let number = ring.section(at: 19).number
        _ = ring.grant(nil, isInAlbum: false)
        #expect(ring.section(at: 19).number == number)
    }

    @Test func rewindStopsAtTheSkip() {
        let (ring, _) = ring(capacity: 8, retained: 8, frames: 0..<8)
        ring.skip(to: 4)
        #expect(ring.read(2) == [4, 5])
        #expect(ring.rewind(8) == 2)
        ring.skip(to: 2)
        #expect(ring.readIndex == 4)
        ring.skip(to: 99)
        #expect(ring.readIndex == 8)
    }

    @Test func oldLeaseIsRevoked_afterCutOrGrant() {
        let (ring, first) = ring(capacity: 8, frames: 0..<2)
        #expect(ring.cut() == 2)
        #expect(ring.write(frames: 2..<3, lease: first) == .revoked)
        #expect(!ring.waitForSpace(1, lease: first))
        let second = ring.grant()
        #expect(second.writeIndex == 2)
        #expect(ring.waitForSpace(1, lease: second.lease))
        #expect(ring.read(9) == [0, 1])
    }

    @Test(.timeLimit(.minutes(10))) func waitEnds_whenCutRevokesTheLease() {
        let (ring, lease) = ring(capacity: 4, frames: 0..<4)
        let outcome = Mailbox<Bool>()
        let producer = NamedThread("producer") { outcome.post(ring.waitForSpace(1, lease: lease)) }
        #expect(outcome.take(until: .now.advanced(bySeconds: 0.05)) == [])
        _ = ring.cut()
        #expect(outcome.take(until: .now.advanced(bySeconds: 10)) == [false])
        producer.join()
    }

    @Test(.timeLimit(.minutes(10))) func waiterWakes_onlyWhenEnoughIsFree() {
        let (ring, lease) = ring(capacity: 8, frames: 0..<8)
        let outcome = Mailbox<Bool>()
        let producer = NamedThread("producer") { outcome.post(ring.waitForSpace(6, lease: lease)) }
        _ = ring.read(5)
        #expect(outcome.take(until: .now.advanced(bySeconds: 0.05)) == [])
        _ = ring.read(1)
        #expect(outcome.take(until: .now.advanced(bySeconds: 10)) == [true])
        producer.join()
    }

    /// Frame n has the samples n and -n, so that each frame read can be checked.
    @Test(.timeLimit(.minutes(10))) func everyFrameIsRight_whileTwoThreadsRewindSkipAndCut() {
        let total = FrameCount(5_000_000)
        let ring = ring(capacity: 4_001, retained: 997)
        let wrong = Atomic<Int>(0)
        let revoked = Atomic<Int>(0)
        let leases = Mutex(ring.grant().lease)
        let producer = NamedThread("producer") {
            var random = SeededGenerator(seed: 1)
            var samples: [Float] = []
            while ring.writeIndex < total {
                let lease = leases.withLock { $0 }
                let start = ring.writeIndex
                let count = Int.random(in: 1...1_500, using: &random)
                samples.removeAll(keepingCapacity: true)
                for n in start..<min(total, start + Int64(count)) {
                    samples.append(Float(n & 0xFF_FFFF))
                    samples.append(-Float(n & 0xFF_FFFF))
                }
                guard ring.waitForSpace(samples.count / 2, lease: lease),
                    case .wrote(let frames, let at) = samples.withUnsafeBufferPointer({ ring.write($0, lease: lease) })
                else {
                    revoked.add(1, ordering: .relaxed)
                    continue
                }
                // Fewer frames if the reader has stepped back meanwhile.
                if at != start || frames > samples.count / 2 { wrong.add(1, ordering: .relaxed) }
            }
        }
        var random = SeededGenerator(seed: 2)
        var samples = [Float](repeating: 0, count: 2_000)
        let deadline = MonotonicTime.now.advanced(bySeconds: 200)
        var rounds = 0
        while ring.readIndex < total, MonotonicTime.now < deadline {
            let index = ring.readIndex
            let count = ring.read(into: &samples, frames: Int.random(in: 1...1_000, using: &random))
            for n in 0..<count {
                let expected = Float((index + Int64(n)) & 0xFF_FFFF)
                if samples[2 * n] != expected || samples[2 * n + 1] != -expected { wrong.add(1, ordering: .relaxed) }
            }
            rounds += 1
            if rounds % 7 == 0 { _ = ring.rewind(Int.random(in: 0...1_200, using: &random)) }
            if rounds % 501 == 0 { ring.skip(to: ring.readIndex + Int64.random(in: 0...300, using: &random)) }
            if rounds % 1_009 == 0 {
                leases.withLock { lease in
                    ring.skip(to: ring.cut())
                    lease = ring.grant().lease
                }
            }
        }
        _ = leases.withLock { _ in ring.readIndex < total ? ring.cut() : 0 }
        #expect(ring.readIndex == total)
        producer.join()
        #expect(wrong.load(ordering: .relaxed) == 0)
    }
}

extension FrameRing {
    /// Writes stereo frames whose samples are n and n + 0.5.
    fileprivate func write(frames: Range<Int>, lease: Lease) -> WriteOutcome {
        frames.flatMap { [Float($0), Float($0) + 0.5] }.withUnsafeBufferPointer { write($0, lease: lease) }
    }

    /// The left samples of up to `frames` frames.
    fileprivate func read(_ frames: Int) -> [Int] {
        var samples = [Float](repeating: -1, count: 2 * frames)
        let count = read(into: &samples, frames: frames)
        return (0..<count).map { Int(samples[2 * $0]) }
    }
}
