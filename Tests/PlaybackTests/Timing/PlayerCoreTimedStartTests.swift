// SPDX-License-Identifier: Apache-2.0

import Kernel
import Testing

@testable import Playback

@Suite struct PlayerCoreTimedStartTests {
    private func start(_ world: inout SimulatedWorld, _ target: PlayTarget = .current, in seconds: Double)
        -> MonotonicTime
    {
        let time = world.now.advanced(bySeconds: seconds)
        world.command(.start(target, at: time))
        return time
    }

    /// SPEC row 63: for any start delay of the sink and any precision of its clock. Measured at the sink; the player's
    /// position agrees if the clock is exact.
    @Test(arguments: [SimulatedWorld.OutputModel.file, .pulseAudio], 1...20)
    func theFirstFrameIsHeardAtTheTime(model: SimulatedWorld.OutputModel, seed: Int) throws {
        var world = SimulatedWorld(seed: UInt64(seed))
        world.model = model
        world.add(["a-60"])
        world.run(seconds: 0.5)
        let time = start(&world, in: 3)
        if model.jitter == 0 {
            world.run(seconds: 2.99)
            #expect(world.status != .playing)
        }
        world.run(seconds: time.advanced(bySeconds: 0.02).seconds(since: world.now))
        let first = try #require(world.core.stream.timeline.segments.first?.start)
        let heard = (world.sink.heard - Double(first)) / Double(SimulatedWorld.sampleRate)
        #expect(world.status == .playing && abs(heard - 0.02) < 0.01, "\(heard - 0.02) s early")
        world.run(seconds: 0.48)
        if model.jitter == 0 { #expect(abs(world.position - 0.5) < 0.002, "at \(world.position)") }
    }

    @Test func goesOnFromWhereItWasPaused() {
        var world = SimulatedWorld.playing(["a-60"])
        world.run(seconds: 4)
        world.command(.pause)
        world.run(seconds: 0.5)
        let place = world.position
        let time = start(&world, in: 2)
        world.run(seconds: time.advanced(bySeconds: 0.5).seconds(since: world.now))
        #expect(world.status == .playing && abs(world.position - place - 0.5) < 0.003)
    }

    @Test func playbackContinuesUntilThen() throws {
        var world = SimulatedWorld.playing(["a-60", "b-60"])
        let second = try #require(world.core.queue.item(world.core.queue[1].id))
        _ = start(&world, .item(second.id), in: 2)
        world.run(seconds: 1.9)
        #expect(world.status == .playing && world.core.current?.item.uri == "a-60")
        world.run(seconds: 0.3)
        #expect(world.core.current?.item.uri == "b-60" && world.status == .playing)
    }

    @Test func anotherCommandTakesItsPlace() {
        var world = SimulatedWorld.with(["a-60"], play: false)
        world.run(seconds: 0.5)
        let dropped = start(&world, in: 2)
        world.run(seconds: 0.5)
        world.command(.pause)
        #expect(world.events.contains { if case .startDropped(dropped) = $0 { true } else { false } })
        world.run(seconds: 3)
        #expect(world.status != .playing && world.core.timedStart == nil)
        let kept = start(&world, in: 5)
        world.command(.start(.current, at: kept))
        world.run(seconds: 0.5)
        // Another start at the same time does not cancel the start.
        #expect(!world.events.contains { if case .startDropped(kept) = $0 { true } else { false } })
        world.command(.play(.current))
        // Without the silence before the item.
        #expect(world.run(upTo: 0.2) { $0.status == .playing })
    }

    /// DESIGN, promise 2: fails like a `play` at that time.
    @Test func withoutAnOutput_reportsWhyAtTheTime() {
        var world = SimulatedWorld.with(["a-60"], play: false)
        world.run(seconds: 0.5)
        world.send(.output(.availability(.unavailable("nobody there"))))
        _ = start(&world, in: 3)
        world.run(seconds: 2.9)
        #expect(world.core.lastError == nil && world.core.timedStart != nil)
        world.run(seconds: 0.2)
        #expect(world.status == .ready && world.core.lastError?.code == .outputUnavailable)
        let errors = world.events.compactMap { if case .error(let error) = $0 { error } else { nil } }
        #expect(errors == [world.core.lastError] && world.core.timedStart == nil && world.mostSpins < 5)
    }

    @Test func anOutputThatReturnsInTime_isUsed() {
        var world = SimulatedWorld.with(["a-60"], play: false)
        world.run(seconds: 0.5)
        world.send(.output(.availability(.unavailable("nobody there"))))
        let time = start(&world, in: 3)
        world.run(seconds: 1.5)
        world.send(.output(.availability(.available)))
        world.run(seconds: time.advanced(bySeconds: 0.5).seconds(since: world.now))
        #expect(world.status == .playing && abs(world.position - 0.5) < 0.002, "at \(world.position)")
        #expect(world.core.lastError == nil)
    }

    @Test func primes_withoutASound() {
        var world = SimulatedWorld.with(["a-60"], play: false)
        world.run(seconds: 0.5)
        let token = world.command(.prime(seconds: 1))
        world.run(seconds: 0.9)
        #expect(world.replies[token] != nil && world.opened == 1)
        #expect(world.status == .ready && world.core.current?.isFed == true)
        world.run(seconds: 10)
        #expect(world.core.nextDeadline == nil)
    }

    @Test func primeFails_withItsItem() {
        var world = SimulatedWorld.with(["missing"], play: false)
        world.run(seconds: 0.5)
        let token = world.command(.prime(seconds: 1))
        world.run(seconds: 0.9)
        #expect(world.failure(token)?.code == .notFound)
    }
}
