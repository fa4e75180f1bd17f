// SPDX-License-Identifier: Apache-2.0

import Playback
import Synchronization
import Testing
import Threading

@testable import Announcing

/// The loop with scripted voices: what becomes of requests, music and voices.
@Suite struct AnnouncerTests {
    @Test func answersWhenItIsHeard_ducksAndGivesBack() throws {
        let rig = AnnouncerRig()
        let answer = Mailbox<Result<Announcement, AnnouncerError>>()
        rig.announcer.announce(AnnouncementRequest(Sound(uri: "a.mp3"))) { answer.post($0) }
        let (voice, id) = try rig.nextPlay()
        #expect(answer.take(until: .now).isEmpty)
        voice.report(id, .heard)
        let announcement = try #require(answer.take(until: rig.patience).first).get()
        #expect(announcement.state == .playing && announcement.request.sound.volume == 0.3)
        #expect(announcement.request.output == "speakers")
        #expect(rig.waitForMusic { $0 == ["announcing true", "duck 0.1"] })
        voice.report(id, .finished)
        #expect(rig.waitForMusic { $0.dropFirst(2) == ["duck 1.0", "announcing false"] })
        #expect(rig.announcer.status.endedAnnouncements.first?.end == SoundEnd(.finished))
        rig.announcer.shutdown()
        #expect(voice.log.last == "end")
    }

    @Test func theMusicIsLeftAlone_whenItIsHeardElsewhere() throws {
        let rig = AnnouncerRig()
        rig.announcer.announce(AnnouncementRequest(Sound(uri: "a.mp3"), output: "kitchen")) { _ in }
        let (voice, id) = try rig.nextPlay()
        voice.report(id, .heard)
        #expect(rig.waitForMusic { !$0.isEmpty })
        rig.announcer.shutdown()
        #expect(rig.music.log.withLock { $0 } == ["announcing true", "announcing false"])
    }

    @Test func aPauseIsAnInterruption() throws {
        let rig = AnnouncerRig()
        rig.announcer.announce(AnnouncementRequest(Sound(uri: "a.mp3"), music: .pause)) { _ in }
        let (voice, id) = try rig.nextPlay()
        voice.report(id, .heard)
        #expect(rig.waitForMusic { $0 == ["announcing true", "interrupt true"] })
        voice.report(id, .failed(PlaybackError(.unreadable, "broken")))
        #expect(rig.waitForMusic { $0.last == "interrupt false" })
        // Not before the music is heard again: others would come up in between.
        rig.music.follow()
        #expect(rig.waitForMusic { $0.dropFirst(2) == ["interrupt false", "announcing false"] })
        rig.announcer.shutdown()
    }

    @Test func whatFailsIsTheAnswer() throws {
        let rig = AnnouncerRig()
        let answer = Mailbox<Result<SoundEffect, AnnouncerError>>()
        rig.announcer.play(Sound(uri: "a.mp3", volume: 1)) { answer.post($0) }
        let (voice, id) = try rig.nextPlay()
        let error = PlaybackError(.notFound, "There is no a.mp3.")
        voice.report(id, .failed(error))
        #expect(answer.take(until: rig.patience).first == .failure(.playback(error)))
        #expect(rig.music.log.withLock { $0 } == [])
        rig.announcer.shutdown()
    }

    @Test func theSessionEndsWhatSounds_andRefusesMore() throws {
        let rig = AnnouncerRig()
        rig.announcer.announce(AnnouncementRequest(Sound(uri: "a.mp3"))) { _ in }
        let (voice, id) = try rig.nextPlay()
        voice.report(id, .heard)
        #expect(rig.waitForMusic { $0.last == "duck 0.1" })
        var rules = SessionRules()
        rules.refusal = "It records."
        rig.announcer.obey(rules)
        #expect(rig.waitForMusic { $0.contains("duck 1.0") })
        let answer = Mailbox<Result<Announcement, AnnouncerError>>()
        rig.announcer.announce(AnnouncementRequest(Sound(uri: "b.mp3"))) { answer.post($0) }
        let expected = AnnouncerError.playback(PlaybackError(.sessionForbids, "It records."))
        #expect(answer.take(until: rig.patience).first == .failure(expected))
        rig.announcer.shutdown()
    }

    @Test func whatComesBehindTheEnd_isAnswered() {
        let (mailbox, answers) = (Mailbox<AnnouncerMessage>(), Mailbox<AnnouncerError>())
        mailbox.post(.shutdown(.playerRemoved, told: {}))
        mailbox.post(.play(Sound(uri: "a.mp3")) { if case .failure(let error) = $0 { answers.post(error) } })
        let environment = Announcer.Environment(
            music: ScriptedMusic(), voices: ScriptedVoices(ended: Mailbox()), clock: MachineClock())
        AnnouncerLoop(environment, mailbox, AnnouncerBoard(), SessionRules()).run()
        #expect(answers.take(until: .now) == [.playerRemoved])
    }

    @Test func anUnknownOutputIsRefused() throws {
        let rig = AnnouncerRig()
        let answer = Mailbox<Result<Announcement, AnnouncerError>>()
        rig.announcer.announce(AnnouncementRequest(Sound(uri: "a.mp3"), output: "attic")) { answer.post($0) }
        #expect(answer.take(until: rig.patience).first == .failure(.unknownOutput("attic")))
        rig.announcer.shutdown()
        rig.announcer.announce(AnnouncementRequest(Sound(uri: "a.mp3"))) { answer.post($0) }
        #expect(answer.take(until: rig.patience).first == .failure(.shuttingDown))
    }

    @Test func whatWaitsIsLookedAt_beforeItsTurn() throws {
        let asked = Mailbox<@Sendable (PlaybackError?) -> Void>()
        let rig = AnnouncerRig { asked.post($1) }
        let answer = Mailbox<Result<Announcement, AnnouncerError>>()
        rig.announcer.announce(AnnouncementRequest(Sound(uri: "a.mp3"))) { _ in }
        let (voice, id) = try rig.nextPlay()
        voice.report(id, .heard)
        let error = PlaybackError(.unsupported, "No music.")
        for problem in [error, nil] {
            rig.announcer.announce(AnnouncementRequest(Sound(uri: "b.mp3"))) { answer.post($0) }
            let done = try #require(asked.take(until: rig.patience).first)
            #expect(answer.take(until: .now).isEmpty)
            done(problem)
            let result = try #require(answer.take(until: rig.patience).first)
            if let problem {
                #expect(result == .failure(.playback(problem)))
            } else {
                #expect(try result.get().state == .waiting)
            }
        }
        #expect(rig.announcer.status.endedAnnouncements.map(\.end) == [SoundEnd(.failed, error)])
        rig.announcer.shutdown()
    }

    @Test func aVoiceIsUsedAgain() throws {
        let rig = AnnouncerRig()
        rig.announcer.play(Sound(uri: "a.mp3")) { _ in }
        let (first, one) = try rig.nextPlay()
        first.report(one, .finished)
        rig.announcer.play(Sound(uri: "b.mp3")) { _ in }
        let (second, two) = try rig.nextPlay()
        #expect(first === second && one != two && rig.voices.count == 1)
        rig.announcer.shutdown()
    }

    @Test(arguments: [MusicTreatment.pause, .duck(decibels: -20)])
    func atItsEnd_theMusicDoesNotComeUp(_ treatment: MusicTreatment) throws {
        let rig = AnnouncerRig()
        rig.announcer.announce(AnnouncementRequest(Sound(uri: "a.mp3"), music: treatment)) { _ in }
        let (voice, id) = try rig.nextPlay()
        voice.report(id, .heard)
        let down = treatment == .pause ? "interrupt true" : "duck 0.1"
        #expect(rig.waitForMusic { $0 == ["announcing true", down] })
        rig.announcer.shutdown()
        #expect(rig.music.log.withLock { $0 } == ["announcing true", down, "announcing false"])
    }

    /// Whoever has to tell it may be gone before the last voice has faded.
    @Test func theEndsAreTold_whileTheVoicesStillFade() throws {
        let rig = AnnouncerRig()
        let changes = Mailbox<AnnouncementChange.Kind>()
        rig.announcer.observe { changes.post($0.kind) }
        rig.announcer.announce(AnnouncementRequest(Sound(uri: "a.mp3"))) { _ in }
        let (voice, _) = try rig.nextPlay()
        voice.fades.withLock { $0 = true }
        rig.announcer.endSounds()
        guard case .ended(let end)? = changes.take(until: .now).last else {
            Issue.record("it was not told")
            return
        }
        #expect(end.reason == .failed && end.error?.code == .shuttingDown)
        #expect(rig.music.log.withLock { $0 } == [])
        voice.faded.post(())
        rig.announcer.shutdown()
        #expect(voice.log.last == "end")
    }

    @Test func removedWithItsPlayer_itEndsWhatSounds_andRefusesWhatWaits() throws {
        let rig = AnnouncerRig()
        let changes = Mailbox<AnnouncementChange.Kind>()
        rig.announcer.observe { changes.post($0.kind) }
        let answer = Mailbox<Result<Announcement, AnnouncerError>>()
        rig.announcer.announce(AnnouncementRequest(Sound(uri: "a.mp3"))) { answer.post($0) }
        let (voice, _) = try rig.nextPlay()
        rig.announcer.shutdown(.playerRemoved)
        #expect(answer.take(until: rig.patience).first == .failure(.playerRemoved))
        #expect(changes.take(until: rig.patience) == [.ended(SoundEnd(.cancelled))])
        #expect(voice.log.last == "end")
        rig.announcer.announce(AnnouncementRequest(Sound(uri: "a.mp3"))) { answer.post($0) }
        #expect(answer.take(until: rig.patience).first == .failure(.playerRemoved))
    }

    /// A house of sixteen zones has no sixteen times as many.
    @Test func voicesAreBounded_overAllPlayers() throws {
        let (budget, ended) = (VoiceBudget(), Mailbox<Void>())
        let zones = (0..<4).map { _ in AnnouncerRig(budget: budget, ended: ended) }
        var playing: [(voice: ScriptedVoice, id: SoundID)] = []
        for zone in zones.prefix(3) {
            for _ in 0..<EffectSchedule.limit {
                zone.announcer.play(Sound(uri: "a.mp3")) { _ in }
                playing.append(try zone.nextPlay())
            }
        }
        #expect(playing.count == VoiceBudget.playing)
        let answer = Mailbox<Result<SoundEffect, AnnouncerError>>()
        zones[3].announcer.play(Sound(uri: "a.mp3")) { answer.post($0) }
        let refused = try #require(answer.take(until: zones[3].patience).first)
        guard case .failure(.busy) = refused else {
            Issue.record("not refused: \(refused)")
            return
        }
        let announced = Mailbox<Result<Announcement, AnnouncerError>>()
        zones[3].announcer.announce(AnnouncementRequest(Sound(uri: "a.mp3"))) { announced.post($0) }
        guard case .failure(.busy)? = announced.take(until: zones[3].patience).first else {
            Issue.record("an announcement is not refused")
            return
        }
        // The ninth of one player takes the place of its oldest.
        zones[0].announcer.play(Sound(uri: "b.mp3")) { answer.post($0) }
        let (ninth, id) = try zones[0].nextPlay()
        #expect(ninth === playing[0].voice)
        // It goes on.
        ninth.report(id, .heard)
        // What has ended makes room, and of those that have ended only some stay warm.
        for (voice, id) in playing.dropFirst() { voice.report(id, .finished) }
        // Long before those that are warm end as well.
        #expect(
            zones[0].eventually(within: VoicePool.warmth / 2) {
                playing.filter { $0.voice.log.last == "end" }.count == 23 - VoiceBudget.warm
            })
        zones[3].announcer.play(Sound(uri: "a.mp3")) { answer.post($0) }
        _ = try zones[3].nextPlay()
        for zone in zones { zone.announcer.shutdown() }
        #expect(!budget.isSpent && budget.isUnused)
    }
}

private final class AnnouncerRig: Sendable {
    let music = ScriptedMusic()
    let voices: ScriptedVoices
    let announcer: Announcer

    init(
        budget: VoiceBudget = VoiceBudget(), ended: Mailbox<Void> = Mailbox(),
        check: (@Sendable (String, @escaping @Sendable (PlaybackError?) -> Void) -> Void)? = nil
    ) {
        voices = ScriptedVoices(ended: ended)
        var environment = Announcer.Environment(music: music, voices: voices, clock: MachineClock(), budget: budget)
        environment.announcing = { [music] in music.note("announcing \($0)") }
        environment.check = check
        announcer = Announcer(environment)
    }

    var patience: MonotonicTime { .now.advanced(bySeconds: 30) }

    /// The voice that was told to play next, and what.
    func nextPlay() throws -> (ScriptedVoice, SoundID) {
        try #require(voices.played.take(until: patience).first)
    }

    func eventually(within seconds: Double, _ condition: () -> Bool) -> Bool {
        let deadline = MonotonicTime.now.advanced(bySeconds: seconds)
        while !condition() {
            guard MonotonicTime.now < deadline else { return false }
            _ = voices.ended.take(until: deadline)
        }
        return true
    }

    func waitForMusic(_ holds: ([String]) -> Bool) -> Bool {
        let deadline = patience
        while !holds(music.log.withLock { $0 }) {
            guard MonotonicTime.now < deadline else { return false }
            _ = music.changes.take(until: deadline)
        }
        return true
    }
}

private struct MachineClock: PlayerClock {
    var now: MonotonicTime { .now }
    var wallMilliseconds: Int64 { 0 }
}

private final class ScriptedMusic: AnnouncedMusic {
    let log = Mutex<[String]>([])
    let changes = Mailbox<Bool>()
    private let followed = Mutex<@Sendable () -> Void>({})

    var output: OutputStatus {
        var output = OutputStatus()
        output.devices = OutputDevices(
            devices: ["speakers", "kitchen"].map { OutputDevice(id: $0, description: "") }, current: "speakers")
        return output
    }
    var volume: Double { 0.3 }

    func duck(to gain: Double, over seconds: Double) { note("duck \(gain)") }
    func interrupt(_ isBeginning: Bool, done: @escaping @Sendable () -> Void) {
        followed.withLock { $0 = done }
        note("interrupt \(isBeginning)")
    }

    /// The music has followed.
    func follow() { followed.withLock { $0 }() }

    func note(_ text: String) {
        log.withLock { $0.append(text) }
        changes.post(true)
    }
}

private final class ScriptedVoices: VoiceMaking {
    let played = Mailbox<(ScriptedVoice, SoundID)>()
    let ended: Mailbox<Void>
    private let made = Mutex(0)

    /// `ended`: a voice has.
    init(ended: Mailbox<Void>) { self.ended = ended }

    var count: Int { made.withLock { $0 } }
    var refusal: String? { nil }

    func voice(
        _ kind: VoiceKind, on device: String?, rules: SessionRules,
        report: @escaping @Sendable (SoundID, VoiceReport) -> Void
    ) -> (any Voice)? {
        made.withLock { $0 += 1 }
        return ScriptedVoice(played, ended, report)
    }
}

private final class ScriptedVoice: Voice {
    let report: @Sendable (SoundID, VoiceReport) -> Void
    private let played: Mailbox<(ScriptedVoice, SoundID)>
    private let ended: Mailbox<Void>
    private let entries = Mutex<[String]>([])
    /// Its end waits for `faded`.
    let fades = Mutex(false)
    let faded = Mailbox<Void>()

    init(
        _ played: Mailbox<(ScriptedVoice, SoundID)>, _ ended: Mailbox<Void>,
        _ report: @escaping @Sendable (SoundID, VoiceReport) -> Void
    ) {
        self.played = played
        self.ended = ended
        self.report = report
    }

    var log: [String] { entries.withLock { $0 } }

    func play(_ sound: Sound, id: SoundID) {
        note("play \(sound.uri)")
        played.post((self, id))
    }
    func pause() { note("pause") }
    func resume() { note("resume") }
    func stop() { note("stop") }
    func obey(_ rules: SessionRules) {}
    func end() {
        if fades.withLock({ $0 }) { _ = faded.take(until: .now.advanced(bySeconds: 30)) }
        note("end")
        ended.post(())
    }

    private func note(_ text: String) { entries.withLock { $0.append(text) } }
}
