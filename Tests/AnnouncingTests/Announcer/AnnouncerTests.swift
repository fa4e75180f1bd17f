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
        #expect(rig.waitForMusic { $0 == ["duck 0.1"] })
        voice.report(id, .finished)
        #expect(rig.waitForMusic { $0 == ["duck 0.1", "duck 1.0"] })
        #expect(rig.announcer.status.endedAnnouncements.first?.end == SoundEnd(.finished))
        rig.announcer.shutdown()
        #expect(voice.log.last == "end")
    }

    @Test func aPauseIsAnInterruption() throws {
        let rig = AnnouncerRig()
        rig.announcer.announce(AnnouncementRequest(Sound(uri: "a.mp3"), music: .pause)) { _ in }
        let (voice, id) = try rig.nextPlay()
        voice.report(id, .heard)
        #expect(rig.waitForMusic { $0 == ["interrupt true"] })
        voice.report(id, .failed(PlaybackError(.unreadable, "broken")))
        #expect(rig.waitForMusic { $0 == ["interrupt true", "interrupt false"] })
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
        #expect(rig.waitForMusic { $0 == ["duck 0.1"] })
        var rules = SessionRules()
        rules.refusal = "It records."
        rig.announcer.obey(rules)
        #expect(rig.waitForMusic { $0.last == "duck 1.0" })
        let answer = Mailbox<Result<Announcement, AnnouncerError>>()
        rig.announcer.announce(AnnouncementRequest(Sound(uri: "b.mp3"))) { answer.post($0) }
        let expected = AnnouncerError.playback(PlaybackError(.sessionForbids, "It records."))
        #expect(answer.take(until: rig.patience).first == .failure(expected))
        rig.announcer.shutdown()
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
}

private final class AnnouncerRig: Sendable {
    let music = ScriptedMusic()
    let voices = ScriptedVoices()
    let announcer: Announcer

    init() {
        announcer = Announcer(
            Announcer.Environment(music: music, voices: voices, clock: MachineClock()))
    }

    var patience: MonotonicTime { .now.advanced(bySeconds: 30) }

    /// The voice that was told to play next, and what.
    func nextPlay() throws -> (ScriptedVoice, SoundID) {
        try #require(voices.played.take(until: patience).first)
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

    var output: OutputStatus {
        var output = OutputStatus()
        output.devices = OutputDevices(
            devices: [OutputDevice(id: "speakers", description: "")], current: "speakers")
        return output
    }
    var volume: Double { 0.3 }

    func duck(to gain: Double, over seconds: Double) { note("duck \(gain)") }
    func interrupt(_ isBeginning: Bool) { note("interrupt \(isBeginning)") }

    private func note(_ text: String) {
        log.withLock { $0.append(text) }
        changes.post(true)
    }
}

private final class ScriptedVoices: VoiceMaking {
    let played = Mailbox<(ScriptedVoice, SoundID)>()
    private let made = Mutex(0)

    var count: Int { made.withLock { $0 } }
    var refusal: String? { nil }

    func voice(
        _ kind: VoiceKind, on device: String?, rules: SessionRules,
        report: @escaping @Sendable (SoundID, VoiceReport) -> Void
    ) -> (any Voice)? {
        made.withLock { $0 += 1 }
        return ScriptedVoice(played, report)
    }
}

private final class ScriptedVoice: Voice {
    let report: @Sendable (SoundID, VoiceReport) -> Void
    private let played: Mailbox<(ScriptedVoice, SoundID)>
    private let entries = Mutex<[String]>([])

    init(
        _ played: Mailbox<(ScriptedVoice, SoundID)>, _ report: @escaping @Sendable (SoundID, VoiceReport) -> Void
    ) {
        self.played = played
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
    func end() { note("end") }

    private func note(_ text: String) { entries.withLock { $0.append(text) } }
}
