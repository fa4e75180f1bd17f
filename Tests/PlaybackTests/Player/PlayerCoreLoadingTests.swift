// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Playback

/// Network media: a minute in 60,000 bytes.
@Suite struct PlayerCoreLoadingTests {
    private func loaded(_ upTo: Int64, place: Int64 = 0, isSatisfied: Bool = false) -> MediaLoading {
        MediaLoading(ranges: [0..<upTo], size: 60_000, place: place, bytesPerSecond: 1_000, isSatisfied: isSatisfied)
    }

    private func report(_ loading: MediaLoading, _ world: inout SimulatedWorld) {
        guard let generation = world.core.current?.generation else { return }
        world.send(.decoding(generation, .loading(loading)))
    }

    /// Playing, with 2 s loaded and written.
    private func playing() -> SimulatedWorld {
        var world = SimulatedWorld.with(["starving-2"], play: true)
        report(loaded(2_000), &world)
        #expect(world.run { $0.status == .playing })
        report(loaded(2_000, place: 2_000), &world)
        return world
    }

    @Test func aSecondIsGatheredBeforeItSounds() {
        var world = SimulatedWorld.with(["a-60"], play: true)
        report(loaded(500), &world)
        world.run(seconds: 1)
        #expect(world.status == .buffering)
        #expect(world.core.reason == .network)
        #expect(world.core.positionClock.rate == 0)
        report(loaded(990), &world)
        #expect(world.status == .buffering)
        report(loaded(1_001), &world)
        #expect(world.run { $0.status == .playing })
    }

    @Test func allOfItIsAlwaysEnough() {
        var world = SimulatedWorld.with(["a-60"], play: true)
        report(loaded(300, isSatisfied: true), &world)
        #expect(world.run { $0.status == .playing })
    }

    @Test func lessIsGatheredAfterASeek() {
        var world = SimulatedWorld.with(["a-60"], play: true)
        report(loaded(5_000), &world)
        #expect(world.run { $0.status == .playing })
        world.command(.seek(.position(30)))
        report(MediaLoading(ranges: [0..<5_000, 30_000..<30_400], size: 60_000, place: 30_000), &world)
        world.run(seconds: 1)
        #expect(world.status == .seeking)
        report(MediaLoading(ranges: [0..<5_000, 30_000..<30_510], size: 60_000, place: 30_000), &world)
        #expect(world.run { $0.status == .playing })
        #expect(abs(world.position - 30) < 0.1)
    }

    @Test func moreIsGatheredAfterRunningDry() {
        var world = playing()
        #expect(world.run { $0.status == .buffering })
        #expect(world.core.reason == .network)
        #expect(abs(world.position - 2) < 0.01)
        world.run(seconds: 2)
        report(loaded(9_400, place: 2_000), &world)
        #expect(world.status == .buffering)
        report(loaded(9_600, place: 2_000), &world)
        #expect(world.core.prebuffering == nil)
        #expect(world.core.stream.transport != .silent(since: world.now))
    }

    /// A busy machine is no reason to wait for the network, or to blame it. The report at the time of the underrun may be
    /// older than what the decoder has read since.
    @Test func aSlowDecoder_isNoFaultOfTheConnection_unlessALaterReportShowsThatNothingIsLoaded() {
        var world = playing()
        report(loaded(9_000, place: 2_000), &world)
        #expect(world.run { $0.status == .buffering })
        #expect(world.core.reason == .underrun)
        #expect(world.core.prebuffering == nil && world.core.current?.dryTimes == [])
        for _ in 0..<10 { report(loaded(9_000, place: 9_000), &world) }
        #expect(world.status == .buffering && world.core.reason == .network)
        #expect(world.core.prebuffering != nil && world.core.current?.dryTimes.count == 1)
    }

    // MARK: What is heard once

    /// A one-shot sound that loads for `timeout` seconds at most; each `step` in seconds loads a tenth of a second.
    private func speaking(
        timeout: Double, size: Int64?, step: Double, burst: Int64 = 0
    ) -> (SimulatedWorld, Int64) {
        var world = SimulatedWorld()
        let draft = ItemDraft(uri: "a-60", oneShot: OneShot(timeout: timeout))
        world.command(.edit(.replace([draft], startIndex: nil), play: true))
        var came: Int64 = 0
        while world.status != .playing, world.status != .failed, came < 60_000 {
            came += 100
            var loading = MediaLoading(ranges: [0..<came], size: size, isSatisfied: came == 60_000)
            loading.unitsPerSecond = 1_000
            report(loading, &world)
            world.run(seconds: came < burst ? 0.01 : step)
        }
        return (world, came)
    }

    /// A minute that takes 80 s to load.
    @Test func speechOfAKnownLength_waitsForTheShareThatComesTooLate() {
        let (world, came) = speaking(timeout: 60, size: 60_000, step: 0.133)
        #expect(world.status == .playing)
        #expect((19_000..<24_000).contains(came), "0.32 of it, with a little to spare: \(came)")
    }

    @Test func speechThatComesFastEnough_beginsSoon() {
        let (world, came) = speaking(timeout: 30, size: nil, step: 0.05)
        #expect(world.status == .playing && came <= 1_500, "\(came)")
    }

    @Test func slowSpeechWithoutALength_loadsToItsEnd_withinItsTimeout() {
        let (all, whole) = speaking(timeout: 600, size: nil, step: 0.133)
        #expect(all.status == .playing && whole == 60_000)
        let (early, came) = speaking(timeout: 30, size: nil, step: 0.133)
        #expect(early.status == .playing && (19_500..<21_000).contains(came), "what has come in 27 s: \(came)")
    }

    /// Two seconds of the minute load at once, the rest at a third of real time.
    @Test func aBurst_isNoPace() {
        let (world, came) = speaking(timeout: 600, size: nil, step: 0.3, burst: 2_000)
        #expect(world.status == .playing && came == 60_000)
    }

    @Test func speechThatDoesNotLoad_failsByItsTimeout() {
        var world = SimulatedWorld()
        let draft = ItemDraft(uri: "a-60", oneShot: OneShot(timeout: 10))
        world.command(.edit(.replace([draft], startIndex: nil), play: true))
        report(loaded(300), &world)
        world.run(seconds: 8.5)
        #expect(world.status == .buffering)
        world.run(seconds: 1)
        #expect(world.status == .failed && world.core.lastError?.code == .network)
    }

    @Test func isBuffering_untilItSoundsAgain() {
        var world = playing()
        #expect(world.run { $0.status == .buffering })
        let before = world.events.count
        world.sink.written += 500
        report(loaded(9_600, place: 2_000), &world)
        #expect(world.core.prebuffering == nil)
        #expect(world.status == .buffering && world.core.reason == .network)
        #expect(world.run(upTo: 1) { $0.status == .playing })
        #expect(world.statuses(since: before) == [.playing])
    }

    @Test func waitingEnds_withAnErrorWhenNothingComes() {
        var world = playing()
        #expect(world.run { $0.status == .buffering })
        world.run(seconds: 29)
        #expect(world.status == .buffering)
        world.run(seconds: 2)
        #expect(world.status == .failed)
        #expect(world.core.lastError?.code == .network)
    }

    @Test func waitingEnds_withSoundWhenSomethingHasCome() {
        var world = playing()
        #expect(world.run { $0.status == .buffering })
        report(loaded(4_000, place: 2_000), &world)
        world.run(seconds: 31)
        #expect(world.core.prebuffering == nil)
        #expect(world.status != .failed)
    }

    @Test func aPauseStopsTheClockOfTheWait() {
        var world = playing()
        #expect(world.run { $0.status == .buffering })
        world.command(.pause)
        world.run(seconds: 300)
        #expect(world.status == .paused)
        world.command(.play(.current))
        world.run(seconds: 1)
        #expect(world.status == .buffering)
    }

    @Test func runningDryTooOftenIsAnError() {
        var world = playing()
        var read: Int64 = 2_000
        for round in 1...5 {
            #expect(world.run(upTo: 3) { $0.status == .buffering || $0.status == .failed }, "round \(round)")
            guard round < 5 else { break }
            #expect(world.status == .buffering, "round \(round)")
            world.sink.written += 500
            report(loaded(read + 8_000, place: read), &world)
            read += 8_000
            #expect(world.run(upTo: 1) { $0.status == .playing }, "round \(round)")
            report(loaded(read, place: read), &world)
        }
        #expect(world.run { $0.status == .failed })
        #expect(world.core.lastError?.code == .bouncing && world.core.reason == .network)
        #expect(world.core.lastError?.message.contains("unsteady") == true)
    }

    @Test func loadingProgressIsReportedInSeconds() throws {
        var world = playing()
        report(
            MediaLoading(
                ranges: [0..<6_000, 30_000..<45_000], size: 60_000, place: 2_000, bytesPerSecond: 5_000, isStalled: true
            ),
            &world)
        let reported = try #require(world.core.snapshot().loaded)
        #expect(reported.ranges == [0..<6, 30..<45])
        #expect(reported.end == 6)
        #expect(reported.ahead == 4)
        #expect(reported.progress == 0.35)
        #expect(reported.isStalled)
        #expect(world.core.loadedTime == reported)
    }

    /// It writes up to 55 s of its minute and waits.
    @Test(arguments: [("http://host/b-5", 2), ("HTTPS://host/b-5", 2), ("b-5", 1), ("httpd/b-5", 1)])
    func remoteItems_areOpenedAhead(next: String, loads: Int) {
        var world = SimulatedWorld.playing(["starving-55", next])
        world.run(seconds: 48)
        #expect(world.loads == 1)
        world.run(seconds: 4)
        #expect(world.loads == loads)
        #expect(world.status == .playing)
        // At another position, it is not needed yet.
        world.command(.seek(.position(10)))
        #expect(world.core.upcoming == nil)
    }

    @Test func aSeekThatWaitsForTheNetwork_givesWayToTheNextOne() {
        var world = SimulatedWorld.playing(["http://starving-20"])
        world.command(.seek(.position(45)))
        world.run(seconds: 2)
        #expect(world.status == .seeking && world.loads == 1)
        world.command(.seek(.position(2)))
        #expect(world.run { $0.status == .playing && abs($0.position - 2) < 0.5 })
        #expect(world.loads == 2)
    }
}
