// SPDX-License-Identifier: Apache-2.0

import Playback
import PlaybackTesting
import Synchronization
import Testing
import Kernel
import KernelTesting

@testable import Service

/// The loop with scripted voices and music.
@Suite struct AnnouncerTests {
    let rig = AnnouncerRig()

    @Test func anAnnouncement_isAnsweredWhenItIsHeard_andDucksTheMusic() throws {
        let answer = rig.announce(AnnouncementRequest(Sound(uri: "a.mp3")))
        let (voice, id) = try rig.nextPlay()
        #expect(answer.take(until: .now).isEmpty)
        voice.report(id, .heard)
        let announcement = try answer.answer().get().announcement
        #expect(announcement.state == .playing && announcement.request.sound.volume == 0.3)
        #expect(announcement.request.output == "speakers")
        #expect(rig.waitForMusic { $0 == ["announcing true", "duck 0.1"] })
        voice.report(id, .finished)
        #expect(rig.waitForMusic { $0.dropFirst(2) == ["duck 1.0", "announcing false"] })
        #expect(rig.announcer.status.endedAnnouncements.first?.end == SoundEnd(.finished))
        rig.announcer.shutdown()
        #expect(voice.log.last == "end")
    }

    @Test func untilEnd_theAnswerComesAtTheEnd() throws {
        let answer = rig.announce(AnnouncementRequest(Sound(uri: "a.mp3")), untilEnd: true)
        let (voice, id) = try rig.hear()
        #expect(rig.waitForMusic { $0.count == 2 })
        // Longer than an answer takes without `untilEnd`.
        #expect(answer.take(until: .now.advanced(bySeconds: 1)).isEmpty)
        voice.report(id, .finished)
        #expect(try answer.answer().get().end == SoundEnd(.finished))
        rig.announcer.announce(AnnouncementRequest(Sound(uri: "b.mp3")), untilEnd: true) { answer.post($0) }
        _ = try rig.nextPlay()
        rig.announcer.shutdown()
        #expect(answer.answer() == .failure(.shuttingDown))
    }

    /// SPEC 294: the room's equaliser, but not the music's reverb.
    @Test func voicesHaveTheEffectsOfTheRoom_exceptInTheModeMeasurement() throws {
        var effects = EffectSettings()
        (effects.isEnabled, effects.equalizer.preamp, effects.reverb.mix) = (true, -12, 0.9)
        rig.music.settings.withLock { $0 = effects }
        rig.announcer.announce(AnnouncementRequest(Sound(uri: "a.mp3"))) { _ in }
        let (voice, _) = try rig.hear()
        #expect(voice.log == ["true -12.0 0.25", "play a.mp3"])
        effects.equalizer.preamp = -6
        rig.music.settings.withLock { $0 = effects }
        rig.announcer.effectsChanged()
        #expect(eventually { voice.log.last == "true -6.0 0.25" })
        var rules = SessionRules()
        rules.isUnprocessed = true
        rig.announcer.apply(rules)
        #expect(eventually { voice.log.last == "false 0.0 0.25" })
    }

    /// Otherwise its player would resume it when a removed output returns.
    @Test func aFailedSound_isStopped() throws {
        rig.announcer.announce(AnnouncementRequest(Sound(uri: "a.mp3"), output: "kitchen")) { _ in }
        let (voice, id) = try rig.hear()
        voice.report(id, .failed(PlaybackError(.outputUnavailable, "")))
        #expect(eventually { voice.log.last == "stop" })
    }

    @Test func aPlayerVoice_passesEffectsToItsOutput() {
        let clock = ManualClock()
        let output = CapturingOutput(clock: clock)
        let voice = PlayerVoice(
            Player.Environment(
                opener: ScriptedOpener([:]), output: output, conversion: NoConversion(),
                stretching: NoStretching(), store: MemoryStore(), clock: clock), rules: SessionRules()
        ) { _, _ in }
        defer { voice.end() }
        var effects = EffectSettings()
        (effects.isEnabled, effects.mono) = (true, true)
        voice.apply(effects)
        #expect(eventually { output.effects == effects })
    }

    @Test func theMusicIsUnchanged_whenTheAnnouncementPlaysElsewhere() throws {
        rig.announcer.announce(AnnouncementRequest(Sound(uri: "a.mp3"), output: "kitchen")) { _ in }
        _ = try rig.hear()
        #expect(rig.waitForMusic { !$0.isEmpty })
        rig.announcer.shutdown()
        #expect(rig.music.log.withLock { $0 } == ["announcing true", "announcing false"])
    }

    @Test func aPause_isAnInterruptionOfTheMusic() throws {
        rig.announcer.announce(AnnouncementRequest(Sound(uri: "a.mp3"), music: .pause)) { _ in }
        let (voice, id) = try rig.hear()
        #expect(rig.waitForMusic { $0 == ["announcing true", "interrupt true"] })
        voice.report(id, .failed(PlaybackError(.unreadable, "broken")))
        #expect(rig.waitForMusic { $0.last == "interrupt false" })
        // Only when the music plays again: other programs would be heard in between.
        rig.music.follow()
        #expect(rig.waitForMusic { $0.dropFirst(2) == ["interrupt false", "announcing false"] })
    }

    @Test func aFailure_isTheAnswer() throws {
        let answer = Mailbox<Result<SoundEffect, AnnouncerError>>()
        rig.announcer.play(Sound(uri: "a.mp3", volume: 1)) { answer.post($0) }
        let (voice, id) = try rig.nextPlay()
        let error = PlaybackError(.notFound, "There is no a.mp3.")
        voice.report(id, .failed(error))
        #expect(answer.answer() == .failure(.playback(error)))
        #expect(rig.music.log.withLock { $0 } == [])
    }

    @Test func theSession_endsSounds_andRefusesMore() throws {
        rig.announcer.announce(AnnouncementRequest(Sound(uri: "a.mp3"))) { _ in }
        _ = try rig.hear()
        #expect(rig.waitForMusic { $0.last == "duck 0.1" })
        var rules = SessionRules()
        rules.refusal = "It records."
        rig.announcer.apply(rules)
        #expect(rig.waitForMusic { $0.contains("duck 1.0") })
        let answer = rig.announce(AnnouncementRequest(Sound(uri: "b.mp3")))
        let expected = AnnouncerError.playback(PlaybackError(.sessionForbids, "It records."))
        #expect(answer.answer() == .failure(expected))
    }

    @Test func anUnknownOutput_isRefused() throws {
        let answer = rig.announce(AnnouncementRequest(Sound(uri: "a.mp3"), output: "attic"))
        #expect(answer.answer() == .failure(.unknownOutput("attic")))
        // The same problem as for other members that name an output.
        let problem = Problem(AnnouncerError.unknownOutput("attic"), nil)
        #expect(problem.kind == .unknown && problem.code == "unknown-output" && problem.member == "output")
        rig.announcer.shutdown()
        rig.announcer.announce(AnnouncementRequest(Sound(uri: "a.mp3"))) { answer.post($0) }
        #expect(answer.answer() == .failure(.shuttingDown))
    }

    @Test func aWaitingSound_isCheckedBeforeItsTurn() throws {
        let asked = Mailbox<@Sendable (PlaybackError?) -> Void>()
        let rig = AnnouncerRig { asked.post($1) }
        let answer = Mailbox<Result<AnnouncementOutcome, AnnouncerError>>()
        rig.announcer.announce(AnnouncementRequest(Sound(uri: "a.mp3"))) { _ in }
        _ = try rig.hear()
        let error = PlaybackError(.unsupported, "No music.")
        for problem in [error, nil] {
            rig.announcer.announce(AnnouncementRequest(Sound(uri: "b.mp3"))) { answer.post($0) }
            let done = asked.answer()
            #expect(answer.take(until: .now).isEmpty)
            done(problem)
            let result = answer.answer()
            if let problem {
                #expect(result == .failure(.playback(problem)))
            } else {
                #expect(try result.get().announcement.state == .waiting)
            }
        }
        #expect(rig.announcer.status.endedAnnouncements.map(\.end) == [SoundEnd(.failed, error)])
    }

    @Test func anIdleVoice_isReused() throws {
        rig.announcer.play(Sound(uri: "a.mp3")) { _ in }
        let (first, one) = try rig.nextPlay()
        first.report(one, .finished)
        rig.announcer.play(Sound(uri: "b.mp3")) { _ in }
        let (second, two) = try rig.nextPlay()
        #expect(first === second && one != two && rig.voices.count == 1)
    }

    @Test(arguments: [MusicTreatment.pause, .duck(decibels: -20)])
    func atTheEndOfTheAnnouncer_theMusicStaysDown(_ treatment: MusicTreatment) throws {
        rig.announcer.announce(AnnouncementRequest(Sound(uri: "a.mp3"), music: treatment)) { _ in }
        _ = try rig.hear()
        let down = treatment == .pause ? "interrupt true" : "duck 0.1"
        #expect(rig.waitForMusic { $0 == ["announcing true", down] })
        rig.announcer.shutdown()
        #expect(rig.music.log.withLock { $0 } == ["announcing true", down, "announcing false"])
    }

    /// The player may end before the last voice has faded.
    @Test func ends_areReportedWhileTheVoicesStillFade() throws {
        let changes = Mailbox<AnnouncementChange.Kind>()
        rig.announcer.observe { changes.post($0.kind) }
        rig.announcer.announce(AnnouncementRequest(Sound(uri: "a.mp3"))) { _ in }
        let (voice, _) = try rig.nextPlay()
        voice.fades.withLock { $0 = true }
        rig.announcer.endSounds()
        guard case .ended(let end)? = changes.take(until: .now).last else {
            return #expect(Bool(false), "the end was not reported")
        }
        #expect(end.reason == .failed && end.error?.code == .shuttingDown)
        #expect(rig.music.log.withLock { $0 } == [])
        let late = rig.announce(AnnouncementRequest(Sound(uri: "b.mp3")))
        #expect(late.answer() == .failure(.shuttingDown))
        voice.faded.post(())
        rig.announcer.shutdown()
        #expect(voice.log.last == "end")
    }

    @Test func removalOfThePlayer_cancelsSounds_andRefusesRequests() throws {
        let changes = Mailbox<AnnouncementChange.Kind>()
        rig.announcer.observe { changes.post($0.kind) }
        let answer = rig.announce(AnnouncementRequest(Sound(uri: "a.mp3")))
        let (voice, _) = try rig.nextPlay()
        rig.announcer.shutdown(.playerRemoved)
        #expect(answer.answer() == .failure(.shuttingDown))
        #expect(changes.take(until: rig.patience) == [.ended(SoundEnd(.cancelled))])
        #expect(voice.log.last == "end")
        rig.announcer.announce(AnnouncementRequest(Sound(uri: "a.mp3"))) { answer.post($0) }
        #expect(answer.answer() == .failure(.shuttingDown))
    }
}
