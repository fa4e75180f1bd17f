// SPDX-License-Identifier: Apache-2.0

import Playback
import Testing
import Kernel
import KernelTesting

@testable import Service

/// The voices of all announcers of a server.
@Suite struct VoiceBudgetTests {
    /// Sixteen players do not have sixteen times as many voices.
    @Test func voices_areLimitedOverAllPlayers() throws {
        let budget = VoiceBudget()
        let zones = (0..<4).map { _ in AnnouncerRig(budget: budget) }
        var playing: [(voice: ScriptedVoice, id: SoundID)] = []
        for zone in zones.prefix(3) {
            for _ in 0..<SoundEffectSchedule.limit {
                zone.announcer.play(Sound(uri: "a.mp3")) { _ in }
                playing.append(try zone.nextPlay())
            }
        }
        #expect(playing.count == VoiceBudget.playing)
        let answer = Mailbox<Result<SoundEffect, AnnouncerError>>()
        zones[3].announcer.play(Sound(uri: "a.mp3")) { answer.post($0) }
        #expect(answer.answer().failure?.isBusy == true)
        #expect(zones[3].announce(AnnouncementRequest(Sound(uri: "a.mp3"))).answer().failure?.isBusy == true)
        // A player's ninth effect takes the voice of its oldest.
        zones[0].announcer.play(Sound(uri: "b.mp3")) { answer.post($0) }
        let (ninth, id) = try zones[0].nextPlay()
        #expect(ninth === playing[0].voice)
        ninth.report(id, .heard)
        // Ended effects free their voices, of which some are kept idle.
        for (voice, id) in playing.dropFirst() { voice.report(id, .finished) }
        // Long before the idle ones end too.
        #expect(
            eventually(within: VoicePool.warmth / 2) {
                playing.filter { $0.voice.log.last == "end" }.count == 23 - VoiceBudget.warm
            })
        zones[3].announcer.play(Sound(uri: "a.mp3")) { answer.post($0) }
        _ = try zones[3].nextPlay()
        for zone in zones { zone.announcer.shutdown() }
        #expect(budget.isUnused)
    }

    @Test func anAlarm_takesTheVoiceOfTheOldestOfTheLeastImportant() throws {
        let budget = VoiceBudget()
        let zones = (0..<4).map { _ in AnnouncerRig(budget: budget) }
        let alarm = AnnouncementRequest(Sound(uri: "alarm.mp3"), priority: .high)
        // Older than the effects, and more important.
        zones[0].announcer.announce(AnnouncementRequest(Sound(uri: "text.mp3"), priority: .low)) { _ in }
        _ = try zones[0].nextPlay()
        let effects = try (0..<VoiceBudget.playing - 1).map { number in
            let zone = zones[number / SoundEffectSchedule.limit]
            zone.announcer.play(Sound(uri: "click.mp3")) { _ in }
            return try zone.nextPlay()
        }
        let answer = zones[3].announce(AnnouncementRequest(Sound(uri: "text.mp3")))
        #expect(answer.answer().failure?.isBusy == true, "normal priority displaces another sound")
        zones[3].announcer.announce(alarm) { answer.post($0) }
        let (voice, id) = try zones[3].nextPlay()
        voice.report(id, .heard)
        #expect(try answer.answer().get().announcement.state == .playing)
        #expect(eventually { effects[0].0.log.last == "stop" })
        for zone in zones { zone.announcer.shutdown() }
        let displaced = zones.map { $0.announcer.status.endedEffects.filter { $0.end == SoundEnd(.displaced) } }
        #expect(displaced.map { $0.map(\.effect.id) } == [[effects[0].1], [], [], []])
        #expect(zones.allSatisfy { $0.announcer.status.announcementCounts[.displaced] == nil })
        #expect(budget.isUnused)
    }

    @Test func alarms_doNotDisplaceEachOther() throws {
        let budget = VoiceBudget()
        let zones = (0...VoiceBudget.playing).map { _ in AnnouncerRig(budget: budget) }
        let answer = Mailbox<Result<AnnouncementOutcome, AnnouncerError>>()
        for (number, zone) in zones.enumerated() {
            let alarm = AnnouncementRequest(Sound(uri: "alarm.mp3"), priority: .high)
            zone.announcer.announce(alarm) { answer.post($0) }
            guard number < VoiceBudget.playing else { continue }
            let (voice, id) = try zone.nextPlay()
            voice.report(id, .heard)
            _ = try answer.answer().get()
        }
        #expect(answer.answer().failure?.isBusy == true, "an alarm displaces another")
        for zone in zones { zone.announcer.shutdown() }
        #expect(budget.isUnused)
    }
}

extension AnnouncerError {
    fileprivate var isBusy: Bool { if case .busy = self { true } else { false } }
}
