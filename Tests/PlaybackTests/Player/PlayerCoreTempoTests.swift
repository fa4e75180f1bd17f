// SPDX-License-Identifier: Apache-2.0

import Audio
import Testing

@testable import Playback

/// Speed: position and duration are in media time, listened time in real time (SPEC rows 83, 285).
@Suite struct PlayerCoreTempoTests {
    private func set(_ rate: Double, _ world: inout SimulatedWorld) {
        world.apply { $0.playbackRate = rate }
    }

    private func playing(_ uris: [String], at rate: Double) -> SimulatedWorld {
        var world = SimulatedWorld()
        world.apply { $0.playbackRate = rate }
        world.add(uris, play: true)
        #expect(world.run { $0.status == .playing })
        return world
    }

    @Test(arguments: [0.25, 2, 4]) func thePositionRunsAtTheRate(rate: Double) {
        var world = playing(["a-100"], at: rate)
        let (before, listened) = (world.position, world.core.positionClock.listenedTime(at: world.now))
        world.run(seconds: 4)
        #expect(abs(world.position - before - 4 * rate) < 0.01)
        #expect(abs(world.core.positionClock.listenedTime(at: world.now) - listened - 4) < 0.02)
        #expect(world.core.positionClock.rate == rate && world.core.positionClock.duration == 100)
    }

    @Test func aChange_goesOnFromThePlaceThatIsHeard_andIsAnsweredThen() {
        var world = SimulatedWorld.playing(["a-100"])
        world.run(seconds: 10)
        let before = world.position
        let token = world.apply { $0.playbackRate = 2 }
        #expect(abs(world.position - before) < 0.001)
        #expect(world.run { $0.replies[token] != nil } && world.core.positionClock.rate == 2)
        #expect(abs(world.position - before) < 0.2)
        world.run(seconds: 5)
        #expect(world.status == .playing && abs(world.position - before - 10) < 0.3)
        set(1, &world)
        #expect(world.run { $0.core.positionClock.rate == 1 })
        #expect(world.loads == 1)
    }

    @Test func ofManyChanges_theLastOneCounts() {
        var world = SimulatedWorld.playing(["a-100"])
        world.run(seconds: 5)
        for step in 1...100 {
            set(1 + Double(step) / 100, &world)
            world.run(seconds: 0.01)
        }
        #expect(world.run(upTo: 0.2) { $0.core.positionClock.rate == 2 })
        #expect(world.position > 4.9 && world.position < 8)
    }

    @Test func aPausedItem_staysWhereItIs() {
        var world = SimulatedWorld.playing(["a-100"])
        world.run(seconds: 5)
        world.command(.pause)
        world.run(seconds: 1)
        let before = world.position
        let token = world.apply { $0.playbackRate = 0.5 }
        world.run(seconds: 0.05)
        #expect(world.replies[token] != nil, "silence has no speed")
        world.run(seconds: 1)
        #expect(world.status == .paused && abs(world.position - before) < 0.001)
        world.command(.play(.current))
        #expect(world.run { $0.core.positionClock.rate == 0.5 })
    }

    @Test func theNextItem_isHeardAtTheRate_withoutAGap() throws {
        var world = playing(["a-4", "b-100"], at: 2)
        #expect(world.run(upTo: 3) { $0.core.current?.item.uri == "b-100" })
        #expect(world.status == .playing && world.core.statistics.underruns == 0)
        world.run(seconds: 1)
        #expect(abs(world.position - 2) < 0.1)
    }

    @Test func aChange_whileTheNextItemIsWritten_reachesBoth() {
        var world = SimulatedWorld.playing(["a-5", "b-100"])
        #expect(world.run(upTo: 6) { $0.core.upcoming?.isFed == true })
        set(2, &world)
        #expect(world.run { $0.core.positionClock.rate == 2 && $0.core.current?.item.uri == "a-5" })
        #expect(world.run { $0.core.current?.item.uri == "b-100" })
        world.run(seconds: 1)
        #expect(world.status == .playing && world.core.positionClock.rate == 2)
    }

    @Test func aStationStaysAsItIs() {
        var world = SimulatedWorld.playing(["live-60"])
        let before = world.core.discontinuity
        set(2, &world)
        world.run(seconds: 1)
        #expect(world.core.positionClock.rate == 1 && world.loads == 1 && world.core.discontinuity == before)
    }

    @Test func aMeasurement_hearsTheMediaAsTheyAre() {
        var world = playing(["a-100"], at: 2)
        world.applyRules { $0.isUnprocessed = true }
        #expect(world.run { $0.core.positionClock.rate == 1 })
    }

    @Test func aScan_isAsFastAsItIsAskedFor_andGoesOnAtTheRate() {
        var world = playing(["a-100"], at: 2)
        world.command(.scan(rate: 8))
        #expect(world.run { $0.core.positionClock.rate == 8 })
        set(0.5, &world)
        let before = world.position
        world.run(seconds: 2)
        #expect(world.core.positionClock.rate == 8 && abs(world.position - before - 16) < 0.2)
        world.command(.endScan)
        #expect(world.run { $0.core.positionClock.rate == 0.5 })
    }

    @Test func queueLow_comesSecondsBeforeTheEndIsHeard() {
        var world = playing(["a-200"], at: 4)
        func isReported(_ world: SimulatedWorld) -> Bool {
            world.events.contains { if case .queueLow = $0 { true } else { false } }
        }
        world.run(seconds: 28)
        #expect(!isReported(world))
        world.run(seconds: 3.2)
        #expect(isReported(world))
    }

    @Test func sleepAtTheEndOfTheItem_fadesByTheClock() throws {
        var world = playing(["a-20"], at: 2)
        world.command(.sleep(SleepPlan(end: .endOfItem, fade: 2)))
        world.run(seconds: 7.5)
        #expect(world.timerGains.isEmpty)
        #expect(world.run(upTo: 1) { !$0.timerGains.isEmpty })
        #expect(abs(try #require(world.timerGains.first).seconds - 2) < 0.1)
    }

    @Test func aLeadersTempo_holdsWhileItIsFollowed() {
        var world = SimulatedWorld()
        world.apply { $0.leader = "kitchen" }
        world.add(["a-100"], play: true)
        world.command(.adapt(LeaderPlayback(tempo: Tempo(rate: 1.5))))
        #expect(world.run { $0.core.positionClock.rate == 1.5 })
        world.apply { $0.leader = .some(nil) }
        #expect(world.run { $0.core.positionClock.rate == 1 })
    }

    @Test func speechHasASpeedOfItsOwn() throws {
        var world = playing(["a-100", "b.m4b-100"], at: 1.25)
        func show() -> Double { world.core.snapshot().settings.playbackRate }
        world.command(.next)
        // Not speech by its extension, because SimulatedWorld reads the length from the name.
        #expect(world.run { $0.status == .playing } && show() == 1.25)
        let feed = ItemSource(.podcast, id: "https://example.org/feed", name: "Talk")
        let episode = ItemDraft(uri: "c-100").from(feed)
        world.command(.edit(.insert([episode, ItemDraft(uri: "d-100")], at: .end)))
        world.command(.next)
        #expect(world.run { $0.status == .playing && $0.core.current?.item.uri == "c-100" })
        #expect(show() == 1 && world.core.positionClock.rate == 1)
        set(2, &world)
        #expect(world.run { $0.core.positionClock.rate == 2 } && show() == 2)
        #expect(world.savedSettings?.musicRate == 1.25 && world.savedSettings?.speechRate == 2)
        let events = world.events.count
        world.command(.next)
        #expect(world.run { $0.status == .playing && $0.core.current?.item.uri == "d-100" })
        #expect(show() == 1.25 && world.core.positionClock.rate == 1.25)
        #expect(
            world.events[events...].contains {
                if case .settings(let new) = $0 { new.playbackRate == 1.25 } else { false }
            })
        // Each item is written at its own rate, also at a border.
        world.command(.previous)
        #expect(world.run { $0.status == .playing && $0.core.positionClock.rate == 2 })
        world.command(.seek(.position(97)))
        #expect(world.run(upTo: 3) { $0.core.current?.item.uri == "d-100" })
        #expect(world.core.positionClock.rate == 1.25 && world.core.statistics.underruns == 0)
    }

    @Test func speechIsKnown_byFeedNameOrGenre() {
        func media(_ genre: String?) -> MediaDescription {
            var media = MediaDescription(format: AudioFormat(sampleRate: 44_100, layout: .stereo), duration: 1)
            media.tags.genre = genre
            return media
        }
        let item = ItemDraft(uri: "/music/a.mp3")
        #expect(
            item.isSpeech(nil) == nil && item.isSpeech(media(nil)) == false && item.isSpeech(media("Rock")) == false)
        for genre in ["Podcast", "Audiobook", "audio book", "Speech", "Spoken Word"] {
            #expect(item.isSpeech(media(genre)) == true)
        }
        #expect(ItemDraft(uri: "https://example.org/Book.M4B?token=1").isSpeech(nil) == true)
        #expect(item.from(ItemSource(.podcast, id: "f", name: "f")).isSpeech(nil) == true)
    }
}
