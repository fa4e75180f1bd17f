// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Playback

/// Crossfades in the player core: the border is the first frame of the overlap (SPEC row 278).
@Suite struct PlayerCoreCrossfadeTests {
    private func set(_ seconds: Double, _ world: inout SimulatedWorld) {
        world.apply { $0.crossfade = seconds }
    }

    private func playing(_ uris: [String], crossfade: Double) -> SimulatedWorld {
        var world = SimulatedWorld()
        set(crossfade, &world)
        world.add(uris, play: true)
        #expect(world.run { $0.status == .playing })
        return world
    }

    private func uri(_ world: SimulatedWorld) -> String? { world.core.current?.item.uri }

    /// Seconds from now until another item is the current one.
    private func border(_ world: inout SimulatedWorld, within seconds: Double = 40) -> Double? {
        let (start, item) = (world.now, world.core.current?.item.id)
        guard world.run(upTo: seconds, until: { $0.core.current?.item.id != item }) else { return nil }
        return world.now.seconds(since: start)
    }

    @Test func theNextItem_isCurrentFromTheOverlapOn_andBeginsAtItsBeginning() throws {
        var world = playing(["a-20", "b-100"], crossfade: 5)
        let position = world.position
        let time = try #require(border(&world))
        #expect(abs(position + time - 15) < 0.1)
        #expect(world.position < 0.05 && world.status == .playing && world.core.statistics.underruns == 0)
        #expect(world.completions == [.finished])
        world.run(seconds: 6)
        #expect(abs(world.position - 6) < 0.1 && uri(world) == "b-100" && world.loads == 2)
        // The reported end.
        let ends = world.events.compactMap { event -> Double? in
            if case .jumped(let clock, _) = event, clock.rate == 0 { clock.position } else { nil }
        }
        #expect(ends.contains { abs($0 - 15) < 0.05 })
    }

    @Test func aShorterItem_hasAShorterFade_andARowOfThemGoesOn() throws {
        var world = playing(["a-20", "b-4", "c-4", "d-100"], crossfade: 10)
        let position = world.position
        #expect(abs(try #require(border(&world)) + position - 18) < 0.1)
        #expect(abs(try #require(border(&world)) - 2) < 0.1)
        #expect(abs(try #require(border(&world)) - 2) < 0.1)
        #expect(uri(world) == "d-100" && world.status == .playing)
    }

    @Test(arguments: ["missing-1", "live-60", "late-17", "b-0.5", "surround-60"])
    func withoutOneToFade_theEndIsWhole(next: String) throws {
        var world = playing(["a-20", next, "c-100"], crossfade: 5)
        let position = world.position
        let time = try #require(border(&world))
        #expect(abs(position + time - 20) < 0.3)
    }

    @Test func noneIsThere_atTheEnd_inALoop_orWhenItStops() {
        let changes: [(inout SimulatedWorld) -> Void] = [
            { world in world.apply { $0.stopAfterCurrent = true } },
            { world in world.apply { $0.repeats = .one } },
            { world in
                world.command(.edit(.remove([world.core.queue[1].id])))
            },
            { world in world.apply { $0.crossfade = 0 } },
        ]
        for change in changes {
            var world = playing(["a-20", "b-100"], crossfade: 5)
            world.run(seconds: 12)
            change(&world)
            world.run(seconds: 6)
            #expect(uri(world) == "a-20" && world.status == .playing)
        }
    }

    /// The overlap is written a second before it is heard.
    @Test func anEditWins_untilTheOverlapIsHeard() throws {
        let changes: [(inout SimulatedWorld) -> Void] = [
            { world in
                world.add(["c-100"], at: .next)
            },
            { world in world.apply { $0.crossfade = 1 } },
            { world in world.apply { $0.stopAfterCurrent = true } },
        ]
        for change in changes {
            var world = playing(["a-20", "b-100"], crossfade: 5)
            #expect(world.run(upTo: 16) { $0.core.current?.overlapped ?? 0 > 4.9 })
            #expect(world.position < 15)
            change(&world)
            #expect(world.run { $0.status == .playing })
            #expect(world.position < 15.2 && uri(world) == "a-20")
            world.run(seconds: 3)
            if world.core.settings.crossfade == 1 || world.core.settings.stopAfterCurrent {
                #expect(uri(world) == "a-20" && world.position > 16.5)
            } else {
                #expect(uri(world) == "c-100")
            }
        }
    }

    /// The whole item is in the ring, or held back for the old value.
    @Test(arguments: [0.0, 2], [4.0, 15])
    func aRaisedValue_countsForThePresentBorder(old: Double, at place: Double) throws {
        var world = playing(["a-25", "b-100"], crossfade: old)
        #expect(world.run(upTo: 20) { $0.position >= place })
        set(6, &world)
        #expect(world.run { $0.status == .playing })
        let position = world.position
        #expect(abs(position - place) < 0.2 && uri(world) == "a-25")
        #expect(abs(position + (try #require(border(&world))) - 19) < 0.1)
        #expect(world.core.statistics.underruns == 0)
    }

    @Test func aValueThatIsRaisedTooLate_countsFromTheNextBorderOn() throws {
        var world = playing(["a-20", "b-20", "c-100"], crossfade: 0)
        #expect(world.run(upTo: 20) { $0.position >= 14 })
        set(5, &world)
        let position = world.position
        #expect(abs(position + (try #require(border(&world))) - 20) < 0.1)
        #expect(abs((try #require(border(&world))) - 15) < 0.2)
    }

    /// Its server could send it again only from its start.
    @Test func anItemThatIsNotSeekable_playsToItsBorderWithoutAGap() throws {
        let changes: [(inout SimulatedWorld) -> Void] = [
            { $0.add(["c-100"], at: .next) },
            { $0.command(.edit(.remove([$0.core.queue[1].id]))) },
            { $0.command(.apply(.with { $0.stopAfterCurrent = true })) },
            { $0.command(.apply(.with { $0.crossfade = 1 })) },
        ]
        for (index, change) in changes.enumerated() {
            var world = playing(["unsearchable-10", "b-100", "d-100"], crossfade: 0)
            #expect(world.run(upTo: 10) { $0.core.upcoming?.isFed == true })
            let (loads, item, place) = (world.loads, world.core.current?.item.id, world.position)
            change(&world)
            world.run(seconds: 0.5)
            #expect(world.loads == loads && world.core.current?.item.id == item && world.status == .playing)
            #expect(abs(world.position - place - 0.5) < 0.01)
            world.run(seconds: 2)
            switch index {
            case 0: #expect(uri(world) == "c-100" && world.status == .playing)
            case 1: #expect(uri(world) == "d-100" && world.status == .playing)
            case 2: #expect(world.status == .stopped && world.core.reason == .stopAfterCurrent && uri(world) == nil)
            default: #expect(uri(world) == "b-100" && world.status == .playing)
            }
            #expect(world.core.statistics.underruns == 0 && world.lateOrDoubleReplies == 0)
        }
    }

    @Test(arguments: [1, 5, 9]) func withinTheOverlap_allIsTheNextItems(tenth: Int) throws {
        var world = playing(["a-20", "b-100", "c-100"], crossfade: 5)
        _ = try #require(border(&world))
        world.run(seconds: 0.5 * Double(tenth))
        world.command(.pause)
        #expect(world.run { $0.status == .paused })
        #expect(uri(world) == "b-100" && abs(world.position - 0.5 * Double(tenth)) < 0.1)
        world.command(.play(.current))
        #expect(world.run { $0.status == .playing })
        world.command(.seek(.position(50)))
        #expect(world.run { $0.status == .playing && $0.position >= 50 })
        world.command(.previous)
        #expect(uri(world) == "b-100" && world.position < 1)
        world.command(.next)
        #expect(uri(world) == "c-100" && world.run { $0.status == .playing })
    }

    @Test func aSeekBehindTheOverlap_hearsTheRestBeforeIt() throws {
        var world = playing(["a-20", "b-100"], crossfade: 5)
        world.command(.seek(.position(17)))
        #expect(world.run { $0.status == .playing })
        #expect(uri(world) == "a-20" && world.position >= 17)
        #expect(world.run(upTo: 3.2) { $0.core.current?.item.uri == "b-100" })
        #expect(world.status == .playing && world.core.statistics.underruns == 0)
    }

    @Test func speedShortensIt_asItShortensTheItems() throws {
        var world = SimulatedWorld()
        world.apply { ($0.crossfade, $0.playbackRate) = (5, 2) }
        world.add(["a-40", "b-100"], play: true)
        #expect(world.run { $0.status == .playing })
        let position = world.position
        #expect(abs(position / 2 + (try #require(border(&world))) - 15) < 0.1)
    }

    @Test func aMeasurement_hearsNone_andAFollowerHasItsLeaders() throws {
        var world = playing(["a-20", "b-100"], crossfade: 5)
        world.applyRules { $0.isUnprocessed = true }
        #expect(world.core.crossfade == 0)
        var follower = SimulatedWorld()
        follower.apply { $0.leader = "kitchen" }
        follower.command(.adapt(LeaderPlayback(crossfade: 5)))
        #expect(follower.core.crossfade == 5)
        follower.apply { $0.leader = .some(nil) }
        #expect(follower.core.crossfade == 0)
    }
}
