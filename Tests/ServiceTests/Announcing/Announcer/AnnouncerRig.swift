// SPDX-License-Identifier: Apache-2.0

import Playback
import Synchronization
import Testing
import Kernel

@testable import Service

/// An announcer with scripted voices and music.
final class AnnouncerRig: Sendable {
    let music = ScriptedMusic()
    let voices: ScriptedVoices
    let announcer: Announcer

    init(
        budget: VoiceBudget = VoiceBudget(), ended: Mailbox<Void> = Mailbox(),
        check: (@Sendable ([String], @escaping @Sendable (PlaybackError?) -> Void) -> Void)? = nil
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

    func eventually(within seconds: Double = 30, _ condition: () -> Bool) -> Bool {
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

struct MachineClock: PlayerClock {
    var now: MonotonicTime { .now }
    var wallMilliseconds: Int64 { 0 }
}

final class ScriptedMusic: AnnouncedMusic {
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

final class ScriptedVoices: VoiceMaking {
    let played = Mailbox<(ScriptedVoice, SoundID)>()
    let ended: Mailbox<Void>
    private let made = Mutex(0)

    /// `ended`: a voice has, or was stopped.
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

final class ScriptedVoice: Voice {
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
    func stop() {
        note("stop")
        ended.post(())
    }
    func apply(_ rules: SessionRules) {}
    func end() {
        if fades.withLock({ $0 }) { _ = faded.take(until: .now.advanced(bySeconds: 30)) }
        note("end")
        ended.post(())
    }

    private func note(_ text: String) { entries.withLock { $0.append(text) } }
}
