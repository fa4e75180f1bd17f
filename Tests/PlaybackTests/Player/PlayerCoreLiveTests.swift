// SPDX-License-Identifier: Apache-2.0

import Audio
import Testing

@testable import Playback

/// A radio station: buffered data grows stale, and titles apply from the frame with which they arrived.
@Suite struct PlayerCoreLiveTests {
    private func playing() -> SimulatedWorld { SimulatedWorld.playing(["live-60"]) }

    private func report(_ title: String, at start: FrameCount?, _ world: inout SimulatedWorld) {
        guard let generation = world.core.current?.generation else { return }
        var media = world.description(.live(seconds: 60))
        media.broadcast?.programme = Broadcast.Programme(title: title)
        world.send(.decoding(generation, .mediaChanged(media, start: start)))
    }

    private func titles(_ world: SimulatedWorld) -> [String] {
        world.events.compactMap {
            if case .item(let item) = $0 { item?.media?.broadcast?.programme?.title } else { nil }
        }
    }

    @Test func aTitleIsReported_whenItsFirstFrameIsHeard() {
        var world = playing()
        let heard = FrameCount(world.sink.heard)
        report("A", at: heard + 2_000, &world)
        report("B", at: heard + 5_000, &world)
        #expect(titles(world).isEmpty)
        let before = world.now
        #expect(world.run { titles($0) == ["A"] })
        #expect(abs(world.now.seconds(since: before) - 2) < 0.05)
        #expect(world.run { titles($0) == ["A", "B"] })
        #expect(abs(world.now.seconds(since: before) - 5) < 0.05)
        #expect(world.core.current?.programmes.isEmpty == true)
    }

    @Test func aTitleBeforePlayback_isReportedAtOnce() {
        var world = SimulatedWorld.with(["live-60"], play: false)
        #expect(world.run { $0.status == .ready })
        report("A", at: nil, &world)
        #expect(titles(world) == ["A"])
    }

    @Test func aPauseLeavesIt_andPlayJoinsItAnew() {
        var world = playing()
        world.run(seconds: 3)
        let loads = world.loads
        world.command(.pause)
        world.run(seconds: 1)
        #expect(world.status == .paused)
        #expect(world.sessions.isEmpty, "its connection has ended")
        #expect(abs(world.position - 3) < 0.1)
        world.run(seconds: 600)
        #expect(world.loads == loads)
        world.command(.play(.current))
        #expect(world.run { $0.status == .playing })
        #expect(world.loads == loads + 1)
        #expect(world.position < 0.5)
        #expect(world.core.positionClock.listenedTime > 2.9)
        #expect(world.completions.isEmpty)
        #expect(world.lateOrDoubleReplies == 0)
    }

    @Test func aReadyStation_isLeftAfterAWhile() {
        var world = SimulatedWorld.with(["live-60"], play: false)
        #expect(world.run { $0.status == .ready })
        world.run(seconds: PlayerCore.liveHold - 1)
        #expect(world.sessions.count == 1)
        world.run(seconds: 2)
        #expect(world.sessions.isEmpty)
        #expect(world.status == .ready)
        world.command(.play(.current))
        #expect(world.run { $0.status == .playing })
    }

    @Test(arguments: [false, true]) func afterAnOutage_itIsJoinedAnew(isSuspended: Bool) {
        var world = playing()
        world.run(seconds: 3)
        if isSuspended { world.report { .suspended($0, true) } } else { world.loseServer() }
        #expect(world.status == .interrupted)
        #expect(isSuspended || world.sessions.isEmpty)
        let loads = world.loads
        world.run(seconds: 20)
        if isSuspended { world.report { .suspended($0, false) } } else { world.returnServer() }
        #expect(world.run { $0.status == .playing })
        #expect(world.loads == loads + 1)
    }

    @Test func aStationThatFollows_isJoinedWhenItsTurnComes() {
        var world = SimulatedWorld.playing(["song-20", "http://live-60"])
        let before = world.loads
        world.run(seconds: 12)
        #expect(world.loads == before + 1, "a slow server would leave a gap")
        world.run(seconds: 6)
        #expect(world.loads == before + 2, "what it had sent since is old")
        #expect(world.sessions.count == 2)
        world.run(seconds: 4)
        #expect(world.loads == before + 2)
        #expect(world.core.current?.isLive == true && world.status == .playing)
        #expect(world.position < 3)
    }

    @Test func isNotSeekable() {
        var world = playing()
        for command in [PlayerCommand.seek(.position(5)), .play(.current, position: 5)] {
            let token = world.command(command)
            #expect(world.failure(token)?.code == .notSeekable)
        }
        #expect(world.status == .playing)
    }
}
