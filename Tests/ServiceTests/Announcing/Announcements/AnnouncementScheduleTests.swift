// SPDX-License-Identifier: Apache-2.0

import Playback
import Testing

@testable import Service

@Suite struct AnnouncementScheduleTests {
    private let duck = MusicTreatment.duck(decibels: -20)

    @Test func theMusicIsDucked_whileTheAnnouncementIsHeard() throws {
        var world = AnnouncementWorld()
        let a = try world.accepted()
        #expect(world.state(a) == .loading && world.music == nil)
        world.report(.heard, a)
        #expect(world.state(a) == .playing && world.music == duck)
        world.report(.silent, a)
        #expect(world.music == duck)
        world.report(.heard, a)
        world.report(.finished, a)
        #expect(world.music == nil && world.schedule.isEmpty && world.voices.isEmpty && world.faults == [])
        #expect(world.trace == ["a began", "a ended finished"])
    }

    @Test func theMusicIsUnchanged_onAnotherOutput() throws {
        var world = AnnouncementWorld()
        let a = try world.accepted(output: "kitchen", concernsMusic: false)
        world.report(.heard, a)
        #expect(world.music == nil)
        let b = try world.accepted(music: .pause)
        world.report(.heard, b)
        #expect(world.state(a) == .playing && world.state(b) == .playing && world.music == .pause)
    }

    @Test func equalPriorities_playInOrderOfArrival_andTheMusicStaysDuckedBetween() throws {
        var world = AnnouncementWorld()
        let ids = try (0..<3).map { _ in try world.accepted() }
        #expect(ids.map { world.state($0) } == [.loading, .waiting, .waiting])
        world.report(.heard, ids[0])
        world.report(.finished, ids[0])
        #expect(world.state(ids[1]) == .loading && world.state(ids[2]) == .waiting && world.music == duck)
        world.report(.failed(PlaybackError(.notFound, "")), ids[1])
        // An announcement that fails unheard does not keep the music ducked for the next.
        #expect(world.state(ids[2]) == .loading && world.music == nil)
        world.report(.heard, ids[2])
        world.report(.finished, ids[2])
        #expect(
            world.trace == [
                "a began", "a ended finished", "b ended failed", "c began", "c ended finished",
            ])
        #expect(world.faults == [])
    }

    @Test func aHigherPriority_suspendsALowerOne_whichResumesAfterwards() throws {
        var world = AnnouncementWorld()
        let text = try world.accepted(.low, music: .pause)
        world.report(.heard, text)
        let later = try world.accepted(.low)
        let bell = try world.accepted(.high)
        #expect(world.state(text) == .setAside && world.state(bell) == .loading && world.voices[text] == .paused)
        // Until the bell is heard, the music stays as it was.
        #expect(world.music == .pause)
        world.report(.heard, bell)
        #expect(world.music == duck)
        // Late reports of the paused voice are ignored.
        world.report(.silent, text)
        world.report(.heard, text)
        #expect(world.state(text) == .setAside)
        world.report(.finished, bell)
        #expect(world.state(text) == .loading && world.state(later) == .waiting && world.voices[text] == .begun)
        world.report(.heard, text)
        #expect(world.music == .pause)
        world.report(.finished, text)
        #expect(world.state(later) == .loading && world.music == .pause)
        world.report(.heard, later)
        #expect(world.music == duck)
        #expect(
            world.trace == [
                "a began", "a set aside", "c began", "c ended finished", "a resumed", "a ended finished", "b began",
            ])
        #expect(world.faults == [])
    }

    @Test func anAnnouncementNotHeardInTime_fails_andTheNextBegins() throws {
        var world = AnnouncementWorld()
        let a = try world.accepted()
        let b = try world.accepted()
        world.wait(SoundProgress.patience + 0.1)
        #expect(world.state(a) == nil && world.state(b) == .loading && world.voices[a] == nil)
        world.report(.heard, b)
        world.wait(60)
        #expect(world.state(b) == .playing)
        world.report(.silent, b)
        world.wait(SoundProgress.patience + 0.1)
        #expect(world.schedule.isEmpty && world.music == nil)
        #expect(world.trace == ["a ended failed", "b began", "b ended failed"])
    }

    /// An endless announcement must not duck the music forever.
    @Test func anAnnouncementThatIsTooLong_ends() throws {
        var world = AnnouncementWorld()
        let a = try world.accepted()
        world.report(.heard, a)
        world.wait(SoundProgress.longest - 1)
        #expect(world.state(a) == .playing)
        world.wait(2)
        #expect(world.schedule.isEmpty && world.music == nil && world.schedule.nextDeadline == nil)
    }

    @Test func tooManyWaiting_areRefused_unlessANewOneHasAHigherPriority() throws {
        var world = AnnouncementWorld()
        let first = try world.accepted(.high)
        world.report(.heard, first)
        for _ in 0..<AnnouncementSchedule.waitingLimit - 1 { world.announce(.normal) }
        let last = try world.accepted(.low)
        let low = world.announce(.low)
        #expect(low == nil)
        let normal = try world.accepted(.normal)
        #expect(world.state(last) == nil && world.state(normal) == .waiting)
        #expect(world.announce(.normal) == nil)
        #expect(world.changes.last?.kind == .ended(SoundEnd(.replaced)))
        // On another output it begins at once.
        let elsewhere = try world.accepted(.low, output: "kitchen")
        #expect(world.state(elsewhere) == .loading && world.faults == [])
    }

    @Test func tooManyOutputs_areRefused() {
        var world = AnnouncementWorld()
        let ids = (0..<AnnouncementSchedule.lineLimit + 1).map { world.announce(output: "room \($0)") }
        #expect(ids.last == .some(nil) && ids.dropLast().allSatisfy { $0 != nil })
    }

    @Test func anAnnouncementInAnyState_canBeCancelled() throws {
        var world = AnnouncementWorld()
        let a = try world.accepted(.low)
        world.report(.heard, a)
        let b = try world.accepted(.normal)
        let c = try world.accepted(.low)
        #expect(world.state(a) == .setAside && world.state(b) == .loading && world.state(c) == .waiting)
        #expect([world.cancel(a), world.cancel(c), world.cancel(b), world.cancel(b)] == [true, true, true, false])
        #expect(world.voices.isEmpty && world.music == nil && world.faults == [])
    }

    @Test func anUnplayableAnnouncement_endsWhileItWaits_butNotOnceItIsActive() throws {
        var world = AnnouncementWorld()
        let a = try world.accepted()
        let b = try world.accepted()
        let error = PlaybackError(.unsupported, "")
        world.refuse(a, error)
        #expect(world.state(a) == .loading && world.changes.isEmpty)
        world.refuse(b, error)
        #expect(world.state(b) == nil && world.trace == ["b ended failed"] && world.faults == [])
    }

    @Test func aVeryShortAnnouncement_hasBegun_whenItEnds() throws {
        var world = AnnouncementWorld()
        let a = try world.accepted()
        world.report(.finished, a)
        #expect(world.trace == ["a began", "a ended finished"] && world.music == nil)
    }

    @Test func theStrongerTreatmentCounts() {
        #expect(MusicTreatment.stronger(.pause, duck) == .pause)
        #expect(MusicTreatment.stronger(.duck(decibels: -6), duck) == duck)
        #expect(MusicTreatment.stronger(nil, duck) == duck && MusicTreatment.stronger(nil, nil) == nil)
        #expect(abs(duck.gain - 0.1) < 1e-9 && MusicTreatment.pause.gain == 1)
    }
}
