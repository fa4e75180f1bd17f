// SPDX-License-Identifier: Apache-2.0

import Audio
import Testing

@testable import Playback

/// Behaviour while the sink stalls, or the source delivers nothing.
@Suite struct PlayerCoreStandingTests {
    /// Plays an item for 2 s; then the sink takes no more frames, with or without frames in the ring.
    private static func frozen(withFrames: Bool = true, atTheEnd: Bool = false) throws -> SimulatedWorld {
        // Without a next item, the rest is drained.
        var world = SimulatedWorld.playing(atTheEnd ? ["a-60"] : ["a-60", "b-60"])
        world.run(seconds: 2)
        if withFrames { try fill(world) }
        world.sink.isFrozen = true
        return world
    }

    private static func fill(_ world: SimulatedWorld) throws {
        let ring = try #require(world.core.stream.ring)
        let silence = [Float](repeating: 0, count: 32)
        _ = silence.withUnsafeBufferPointer { ring.write($0, lease: ring.grant().lease) }
        #expect(ring.unread > 0)
    }

    @Test func doesNotPlay_whenPausedWhileTheSinkStands() throws {
        var world = try Self.frozen()
        world.report { .underrun($0) }
        #expect(world.status == .buffering)
        let place = world.position
        world.check = {
            #expect($0.status != .playing)
            #expect($0.core.positionClock.rate == 0)
            #expect($0.position == place)
        }
        world.command(.pause)
        world.run(seconds: 2)
        #expect(world.status == .paused)
    }

    /// Readers continue the last reading by its rate, and know nothing of the sink.
    @Test func position_waitsForTheSink_afterItStoodForAMoment() {
        var world = SimulatedWorld.playing(["a-60"])
        world.run(seconds: 2)
        world.send(.tick)
        func shown() -> Double { world.core.snapshot().clock.position(at: world.now) }
        let clock = world.core.snapshot().clock
        world.run(seconds: 0.05)
        let read = clock.position(at: world.now)
        world.sink.heard -= 0.02 * Double(SimulatedWorld.sampleRate)
        world.send(.tick)
        #expect(world.status == .playing && shown() == read)
        world.run(seconds: 0.015)
        world.send(.tick)
        #expect(shown() == read)
        world.run(seconds: 0.035)
        #expect(abs(shown() - read - 0.03) < 0.001_1)
    }

    @Test(arguments: [true, false]) func position_doesNotFall_whenTheSinkStands(isPaused: Bool) throws {
        var world = try Self.frozen()
        world.sink.isFrozen = false
        world.send(.tick)
        let clock = world.core.snapshot().clock
        world.sink.isFrozen = true
        world.advance(to: world.now.advanced(bySeconds: 0.05))
        if isPaused { world.command(.pause) } else { world.send(.tick) }
        #expect(world.status != .playing)
        let shown = world.core.snapshot().clock.position(at: world.now)
        #expect(shown == (isPaused ? world.core.position : clock.position(at: world.now)), "a pause is exact")
    }

    /// The server and the sink were stopped together, as in a virtual machine that was paused.
    @Test func position_jumpsBack_afterTheSinkStoodForLong() {
        var world = SimulatedWorld.playing(["a-60"])
        world.run(seconds: 2)
        world.send(.tick)
        let before = world.core.snapshot().clock
        world.sink.isFrozen = true
        world.advance(to: world.now.advanced(bySeconds: 10))
        world.sink.isFrozen = false
        world.send(.tick)
        let clock = world.core.snapshot().clock
        #expect(world.status == .playing && clock.discontinuity == before.discontinuity + 1)
        #expect(abs(clock.position(at: world.now) - before.position) < 0.001_1)
    }

    /// Some web files are not exactly seekable.
    @Test func position_jumps_whenAnItemStartsElsewhere() {
        var world = SimulatedWorld.with(["a-60", "damaged-5"], play: false)
        world.command(.play(.index(1), position: 3))
        let asked = world.core.snapshot().clock
        #expect(asked.position == 3)
        #expect(world.run { $0.status == .playing })
        let clock = world.core.snapshot().clock
        #expect(clock.position(at: world.now) < 0.5 && clock.discontinuity == asked.discontinuity + 1)
    }

    @Test func doesNotPlay_whenPausedAndPlayedWhileTheSinkStands() throws {
        var world = try Self.frozen()
        world.report { .underrun($0) }
        world.check = { #expect($0.status != .playing) }
        world.command(.pause)
        world.command(.play(.current))
        world.run(seconds: 0.001)
    }

    /// The sink answers neither the pause nor the start.
    @Test func lacksTheOutput_whenPausedAndPlayedWhileTheSinkStands() throws {
        var world = try Self.frozen()
        world.sink.isMute = true
        #expect(world.run { $0.status == .buffering })
        world.command(.pause)
        world.command(.play(.current))
        #expect(world.status == .buffering && world.core.reason == .outputUnavailable)
        world.isAvailable = false
        world.check = { #expect($0.status != .paused && $0.core.reason == .outputUnavailable) }
        #expect(world.run(upTo: PlayerCore.pausingLimit + 0.1) { $0.status == .interrupted })
    }

    /// The player is late, not the sink.
    @Test func keepsItsStream_whenTheReportWaitsBehindAnotherInput() throws {
        var world = SimulatedWorld.playing(["a-60"])
        let stream = try #require(world.sink.generation)
        world.sink.isMute = true
        world.command(.pause)
        world.sink.isFrozen = true
        let (clock, late) = (world.reading, world.now.advanced(bySeconds: 2 * PlayerCore.pausingLimit))
        _ = world.core.handle(.tick, clock: clock, now: late, more: true)
        _ = world.core.handle(.output(.paused(stream)), clock: clock, now: late)
        #expect(world.status == .paused && world.core.stream.generation == stream)
    }

    /// The sound server answers after the player's first tick.
    @Test func keepsItsStream_whenTheMachineStandsStillAfterAPause() throws {
        var world = SimulatedWorld.playing(["a-60"])
        let stream = try #require(world.sink.generation)
        world.sink.isMute = true
        world.command(.pause)
        world.advance(to: world.now.advanced(bySeconds: 2 * PlayerCore.pausingLimit))
        world.send(.tick)
        world.sink.isMute = false
        world.run(seconds: 0.1)
        #expect(world.status == .paused && world.sink.generation == stream)
    }

    /// A network speaker plays what it has taken before it falls silent.
    @Test(arguments: [(PlayerCommand.pause, PlayerStatus.paused), (.stop(drain: false), .stopped)])
    func keepsItsStream_whenASinkOfHighLatencyIsSilenced(command: PlayerCommand, silent: PlayerStatus) throws {
        var world = SimulatedWorld.playing(["a-60"])
        let stream = try #require(world.sink.generation)
        world.model.latency = 2
        world.sink.isMute = true
        world.command(command)
        (world.sink.isMute, world.sink.fadeEnd) = (false, world.now.advanced(bySeconds: 2.2))
        world.run(seconds: 2.1)
        #expect(world.status != silent)
        world.run(seconds: 0.2)
        #expect(world.status == silent && world.sink.generation == stream)
    }

    /// The ring had frames, but the sink did not get them in time: an audible underrun.
    @Test func countsAnUnderrun_whenTheSinkGoesOnByItself() throws {
        var world = try Self.frozen()
        world.report { .underrun($0) }
        #expect(world.core.statistics.underruns == 0)
        world.sink.isFrozen = false
        world.report { .started($0) }
        #expect(world.core.statistics.underruns == 1)
        world.report { .started($0) }
        #expect(world.core.statistics.underruns == 1)
    }

    /// Reported by the output or seen in the clock, while playing or draining.
    @Test(arguments: [true, false], [true, false])
    func countsTheStreamAsLost_whenTheSinkStands(isReported: Bool, atTheEnd: Bool) throws {
        var world = try Self.frozen(atTheEnd: atTheEnd)
        let place = world.position
        let lost = try #require(world.sink.generation)
        if isReported { world.report { .underrun($0) } }
        #expect(world.run { $0.status == .buffering })
        #expect(world.core.reason == .outputUnavailable)
        #expect(world.core.statistics.underruns == 0)
        world.isAvailable = false
        #expect(world.run(upTo: PlayerCore.stallLimit + 1) { $0.status == .interrupted })
        #expect(world.core.reason == .outputUnavailable)
        #expect(abs(world.position - place) < 0.1)
        world.run(seconds: 20)
        world.isAvailable = true
        #expect(world.run { $0.status == .playing })
        #expect(world.sink.generation != lost)
        #expect(abs(world.position - place) < 0.1)
    }

    @Test func playsOn_whenTheSinkStoodForAShortWhile() throws {
        var world = try Self.frozen()
        let stream = world.sink.generation
        #expect(world.run { $0.status == .buffering })
        world.run(seconds: PlayerCore.stallLimit - 1)
        world.sink.isFrozen = false
        #expect(world.run(upTo: 0.2) { $0.status == .playing })
        world.run(seconds: PlayerCore.stallLimit + 1)
        #expect(world.status == .playing && world.sink.generation == stream)
    }

    /// A suspended sink may stand still forever.
    @Test func waits_whileTheSinkIsSuspended() throws {
        var world = try Self.frozen()
        let stream = try #require(world.sink.generation)
        world.report { .suspended($0, true) }
        world.run(seconds: 60)
        #expect(world.status == .interrupted && world.core.reason == .outputSuspended)
        #expect(world.sink.generation == stream)
    }

    /// However long it has drained, the output has time to report the end.
    @Test func completes_whenTheEndIsHeardBeforeItIsReported() {
        var world = SimulatedWorld.playing(["a-60"])
        world.run(seconds: PlayerCore.drainingLimit + 5)
        world.sink.heard = Double(world.sink.written)
        world.send(.tick)
        #expect(world.status == .completed && world.core.lastError == nil)
    }

    /// Late frames may be heard before the output can report that it plays again.
    @Test func goesOn_whenTheRestWasHeardWithoutAReport() throws {
        var world = SimulatedWorld.playing(["a-1", "b-60"])
        #expect(world.run { $0.core.current?.writtenEnd != nil })
        world.report { .underrun($0) }
        world.sink.heard = Double(world.sink.written)
        world.sink.isDry = true
        #expect(world.run(upTo: 1) { $0.core.current?.item.uri == "b-60" })
    }

    /// The sink had no frames for long; the next item gets its own time.
    @Test func failsTheItem_whenTheSourceGivesNothing() throws {
        var world = SimulatedWorld.with(["slow-60", "b-60"], play: true)
        #expect(world.run { $0.status == .playing })
        world.run(seconds: 1)
        world.report { .underrun($0) }
        #expect(world.core.transportIsDry)
        world.sink.isFrozen = true
        world.core.loaded.current?.stage = .feeding
        #expect(world.status == .buffering && world.core.reason == .underrun)
        world.run(seconds: PlayerCore.sourceLimit - 1)
        #expect(world.status == .buffering)
        #expect(world.run(upTo: 2) { $0.core.current?.item.uri == "b-60" })
        #expect(world.core.lastError?.code == .timedOut)
        world.check = { #expect($0.core.current?.item.uri == "b-60" && $0.core.current?.failure == nil) }
        world.run(seconds: 1)
    }

    /// A start without frames is the source's fault; with frames, the sink's.
    @Test func failsTheItem_whenTheSourceGivesNothingFromTheStart() {
        var world = SimulatedWorld.with(["starving-0", "b-60"], play: true)
        world.run(seconds: PlayerCore.sourceLimit - 1)
        #expect(world.status == .loading && world.core.current?.item.uri == "starving-0")
        #expect(world.run(upTo: 3) { $0.status == .playing })
        #expect(world.core.lastError?.code == .timedOut && world.core.current?.item.uri == "b-60")
    }

    @Test func givesTheSinkItsTime_whenTheFirstFramesAreLate() throws {
        var world = SimulatedWorld.with(["starving-0", "b-60"], play: true)
        world.run(seconds: PlayerCore.sourceLimit - 1)
        try Self.fill(world)
        world.run(seconds: PlayerCore.startingLimit - 0.5)
        #expect(world.status == .loading)
        #expect(world.run(upTo: 1) { $0.core.lastError?.code == .outputUnavailable })
        #expect(world.core.current?.item.uri == "starving-0")
    }

    @Test func givesTheSinkItsTime_whenTheSourceWasSlow() throws {
        var world = try Self.frozen(withFrames: false)
        world.core.loaded.current?.stage = .feeding
        world.report { .underrun($0) }
        #expect(world.core.reason == .underrun)
        try Self.fill(world)
        world.run(seconds: PlayerCore.sourceLimit + 1)
        #expect(world.status == .buffering && world.core.reason == .outputUnavailable)
        #expect(world.run(upTo: PlayerCore.stallLimit) { $0.core.lastError?.code == .outputUnavailable })
    }
}

extension PlayerCore {
    fileprivate var transportIsDry: Bool { if case .dry = stream.transport { true } else { false } }
}
