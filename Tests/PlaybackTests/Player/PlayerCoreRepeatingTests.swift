// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Playback

/// A-B repeat.
@Suite struct PlayerCoreRepeatingTests {
    private func patch(_ begin: Double, _ end: Double) -> PlayerCommand {
        return .apply(.with { $0.abLoop = ABLoop(begin: begin, end: end) })
    }

    @Test(
        arguments: [
            (-1, 2, "abLoop.begin"), (.nan, 2, "abLoop.begin"), (2, 2.001, "abLoop.end"), (2, 1, "abLoop.end"),
            (1, 10.5, "abLoop.end"), (1, .infinity, "abLoop.end"),
        ] as [(Double, Double, String)])
    func anInvalidPart_failsWithItsMember(begin: Double, end: Double, member: String) {
        var world = SimulatedWorld.playing(["a-10"])
        let token = world.command(patch(begin, end))
        let error = world.failure(token)
        #expect((error?.code, error?.member) == (.outOfRange, member))
        #expect(world.core.settings.abLoop == nil)
    }

    @Test func withoutAnItem_itIsRefused_andSoItIsWithoutAWayBack() {
        var empty = SimulatedWorld()
        let early = empty.command(patch(1, 2))
        #expect(empty.failure(early)?.code == .invalidState)
        var stream = SimulatedWorld.playing(["unsearchable-10"])
        let token = stream.command(patch(1, 2))
        #expect(stream.failure(token)?.code == .notSeekable)
    }

    @Test func anotherItem_hasNone() {
        var world = SimulatedWorld.playing(["a-10", "b-10"])
        world.command(patch(1, 2))
        world.command(.seek(.position(5)))
        #expect(world.position == 1)
        #expect(world.run { $0.status == .playing })
        world.command(.next)
        #expect(world.core.settings.abLoop == nil)
        #expect(world.reportedSettings != nil && world.reportedSettings?.abLoop == nil)
        #expect(world.run { $0.status == .playing })
    }

    /// The player's thread may be so late that both lie between two readings.
    @Test(arguments: [(0.3, 0), (0.8, 1)] as [(Double, UInt64)])
    func aRepetitionRightAfterASplice_isAJump(seconds: Double, jumps: UInt64) throws {
        var world = SimulatedWorld.playing(["a-60"])
        world.run(seconds: 1)
        world.send(.tick)
        let (heard, before) = (world.core.stream.timeline.heard, world.core.discontinuity)
        var track = try #require(world.core.current)
        track.run.number += 1
        world.core.loaded.current = track
        for (start, position) in [(heard + 100, 1.1), (heard + 600, 0.5)] {
            world.core.stream.timeline.append(
                Timeline.Segment(
                    generation: track.generation, run: track.run, start: start, position: position, pace: .played(1)))
        }
        world.advance(to: world.now.advanced(bySeconds: seconds))
        world.send(.tick)
        #expect(world.core.current?.run == track.run && world.core.discontinuity == before + jumps)
    }

    @Test func itOutlivesAStop_andAnOutage() {
        var world = SimulatedWorld.playing(["a-10"])
        world.command(patch(1, 2))
        world.loseSink()
        #expect(world.run { $0.status == .playing })
        world.command(.stop(drain: false))
        #expect(world.run { $0.status == .stopped })
        world.command(.play(.current))
        #expect(world.run { $0.status == .playing })
        #expect(world.core.settings.abLoop == ABLoop(begin: 1, end: 2))
        #expect(world.core.part(of: world.core.queue[0]) == ABLoop(begin: 1, end: 2))
        #expect(world.core.secondsLeftOnce == nil)
    }
}
