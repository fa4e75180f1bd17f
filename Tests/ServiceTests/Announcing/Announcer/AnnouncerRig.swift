// SPDX-License-Identifier: Apache-2.0

import Playback
import PlaybackTesting
import Synchronization
import Testing
import Kernel
import KernelTesting

@testable import Service

/// An announcer with scripted voices and music.
final class AnnouncerRig: Sendable {
    let music = ScriptedMusic()
    let voices = ScriptedVoices()
    let announcer: Announcer

    init(
        budget: VoiceBudget = VoiceBudget(),
        check: (@Sendable ([String], @escaping @Sendable (PlaybackError?) -> Void) -> Void)? = nil
    ) {
        var environment = Announcer.Environment(music: music, voices: voices, clock: MachineClock(), budget: budget)
        environment.announcing = { [music] in music.note("announcing \($0)") }
        environment.check = check
        announcer = Announcer(environment)
    }

    deinit { announcer.shutdown() }

    var patience: MonotonicTime { .now.advanced(bySeconds: 30) }

    /// The next voice that is to play, and its sound.
    func nextPlay() throws -> (ScriptedVoice, SoundID) {
        try #require(voices.played.take(until: patience).first)
    }

    /// As `nextPlay`, and the sound is heard.
    func hear() throws -> (ScriptedVoice, SoundID) {
        let (voice, id) = try nextPlay()
        voice.report(id, .heard)
        return (voice, id)
    }

    func announce(
        _ request: AnnouncementRequest, untilEnd: Bool = false
    ) -> Mailbox<Result<AnnouncementOutcome, AnnouncerError>> {
        let answer = Mailbox<Result<AnnouncementOutcome, AnnouncerError>>()
        announcer.announce(request, untilEnd: untilEnd) { answer.post($0) }
        return answer
    }

    func waitForMusic(_ holds: ([String]) -> Bool) -> Bool { eventually { holds(music.log.withLock { $0 }) } }
}

final class ScriptedMusic: AnnouncedMusic {
    let log = Mutex<[String]>([])
    private let followed = Mutex<@Sendable () -> Void>({})

    var output: OutputStatus {
        var output = OutputStatus()
        output.devices = OutputDevices(
            devices: ["speakers", "kitchen"].map { OutputDevice(id: $0, description: "") }, current: "speakers")
        return output
    }
    var volume: Double { 0.3 }
    var effects: EffectSettings { settings.withLock { $0 } }
    let settings = Mutex(EffectSettings.off)

    func duck(to gain: Double, over seconds: Double) { note("duck \(gain)") }
    func interrupt(_ isBeginning: Bool, done: @escaping @Sendable () -> Void) {
        followed.withLock { $0 = done }
        note("interrupt \(isBeginning)")
    }

    /// Confirms the last interruption.
    func follow() { followed.withLock { $0 }() }

    func note(_ text: String) { log.withLock { $0.append(text) } }
}

final class ScriptedVoices: VoiceMaking {
    let played = Mailbox<(ScriptedVoice, SoundID)>()
    private let made = Mutex(0)

    var count: Int { made.withLock { $0 } }
    var refusal: String? { nil }

    func voice(
        _ kind: VoiceKind, on device: String?, isPinned: Bool, rules: SessionRules,
        report: @escaping @Sendable (SoundID, VoiceReport) -> Void
    ) -> (any Voice)? {
        made.withLock { $0 += 1 }
        return ScriptedVoice(played, report)
    }
}

final class ScriptedVoice: Voice {
    let report: @Sendable (SoundID, VoiceReport) -> Void
    private let played: Mailbox<(ScriptedVoice, SoundID)>
    private let entries = Mutex<[String]>([])
    /// Its end waits for `faded`.
    let fades = Mutex(false)
    let faded = Mailbox<Void>()

    init(
        _ played: Mailbox<(ScriptedVoice, SoundID)>,
        _ report: @escaping @Sendable (SoundID, VoiceReport) -> Void
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
    func apply(_ rules: SessionRules) {}
    func apply(_ effects: EffectSettings) {
        note("\(effects.isEnabled) \(effects.equalizer.preamp) \(effects.reverb.mix)")
    }
    func end() {
        if fades.withLock({ $0 }) { _ = faded.take(until: .now.advanced(bySeconds: 30)) }
        note("end")
    }

    private func note(_ text: String) { entries.withLock { $0.append(text) } }
}
