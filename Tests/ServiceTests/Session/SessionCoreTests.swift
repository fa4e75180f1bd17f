// SPDX-License-Identifier: Apache-2.0

import Playback
import Testing

@testable import Service

@Suite struct SessionCoreTests {
    private func core(interruptsOthers: Bool = true) -> SessionCore {
        var core = SessionCore(interruptsOthers: interruptsOthers)
        _ = core.begin()
        _ = core.playerChanged("main", .hasOutput, true)
        _ = core.otherStreamsChanged(OtherStreams(streams: [other], hasInput: true, server: 1))
        return core
    }

    private let other = OtherStream(index: 5, identity: "x", role: "music")

    private func request(_ edit: (inout SessionRequest) -> Void) -> SessionRequest {
        var request = SessionRequest()
        edit(&request)
        return request
    }

    /// The changes of these actions, which are saved and made.
    private func made(_ actions: [SessionCore.Action], _ core: inout SessionCore) -> [OtherStreamChange] {
        actions.flatMap { action -> [OtherStreamChange] in
            guard case .saveEntries(_, let made) = action, !made.isEmpty else { return [] }
            let due = changes(core.entriesSaved(true, made))
            for change in due { _ = core.changeDecided(change, isMade: true) }
            return due
        }
    }

    /// The music starts. Returns the changes that are to be saved.
    private func startMusic(_ core: inout SessionCore) throws -> [OtherStreamChange] {
        let saves = core.playerChanged("main", .wantsSound, true).compactMap { action in
            if case .saveEntries(_, let made) = action { made } else { nil }
        }
        return try #require(saves.first)
    }

    private func changes(_ actions: [SessionCore.Action]) -> [OtherStreamChange] {
        actions.flatMap { action -> [OtherStreamChange] in
            if case .change(let changes) = action { changes } else { [] }
        }
    }

    @Test func othersAreSilent_onlyWhileMusicPlays() {
        var core = core()
        #expect(made(core.playerChanged("main", .wantsSound, true), &core).count == 1)
        var muted = other
        muted.isMuted = true
        _ = core.otherStreamsChanged(OtherStreams(streams: [muted], hasInput: true, server: 1))
        #expect(core.status.isActive && core.status.otherAudioPlaying)
        #expect(changes(core.playerChanged("main", .wantsSound, false)).count == 1)
    }

    @Test func aRefusedChange_isTriedAgain() throws {
        var core = core()
        let silenced = try startMusic(&core)
        let change = core.entriesSaved(true, silenced)
        #expect(change == [.change(silenced)])
        let again = core.changeDecided(silenced[0], isMade: false)
        #expect(made(again, &core) == silenced)
    }

    @Test func aRefusedChange_leavesNoRecord() throws {
        var core = core()
        let silenced = try startMusic(&core)
        _ = core.entriesSaved(true, silenced)
        var muted = other
        muted.isMuted = true
        _ = core.otherStreamsChanged(OtherStreams(streams: [muted], hasInput: true, server: 1))
        #expect(core.changeDecided(silenced[0], isMade: false) == [.saveEntries([], then: [])])
    }

    /// A stale record would undo a mute by the user in the next run.
    @Test func aRecordThatCannotBeSaved_isSavedAtTheNextEvent() {
        var core = core()
        _ = made(core.playerChanged("main", .wantsSound, true), &core)
        _ = core.playerChanged("main", .wantsSound, false)
        let failed = core.entriesSaved(false, [])
        let next = core.playerLeft("kitchen")
        #expect(failed.isEmpty && next == [.saveEntries([], then: [])])
    }

    @Test func aChangeLostWithItsConnection_leavesNoRecord() {
        var core = core()
        _ = made(core.playerChanged("main", .wantsSound, true), &core)
        let lost = core.otherStreamsChanged(nil)
        let back = core.otherStreamsChanged(OtherStreams(streams: [other], hasInput: true, server: 1))
        #expect(lost.isEmpty && back == [.saveEntries([], then: [])])
    }

    @Test func theEndWithoutASoundServer_leavesTheRecordToTheNextRun() {
        var core = core()
        _ = made(core.playerChanged("main", .wantsSound, true), &core)
        _ = core.otherStreamsChanged(nil)
        #expect(!core.end().contains { if case .saveEntries = $0 { true } else { false } })
    }

    @Test func entriesThatAreNotSaved_changeNothing() throws {
        var core = core()
        let silenced = try startMusic(&core)
        #expect(core.entriesSaved(false, silenced).isEmpty)
    }

    @Test func aPauseWhileAChangeIsUnderWay_isFollowedOnceItIsMade() throws {
        var core = core()
        let silenced = try startMusic(&core)
        _ = core.entriesSaved(true, silenced)
        #expect(core.playerChanged("main", .wantsSound, false).isEmpty)
        let late = core.changeDecided(silenced[0], isMade: true)
        #expect(changes(late).map(\.value) == [.muted(false)] && late.last == .saveEntries([], then: []))
    }

    @Test(arguments: [false, true])
    func theEnd_leavesNoRecordOfAChangeUnderWay(_ isRequested: Bool) throws {
        var core = core()
        let silenced = try startMusic(&core)
        if isRequested { _ = core.entriesSaved(true, silenced) }
        let last = core.end()
        #expect(changes(last).map(\.value) == (isRequested ? [.muted(false)] : []))
        #expect(last.last == .saveEntries([], then: []))
    }

    @Test func isActive_whileAnyPlayerWantsSound_andPausesThoseThatDo() throws {
        var core = core()
        _ = core.playerChanged("main", .wantsSound, true)
        _ = core.playerChanged("kitchen", .wantsSound, true)
        _ = core.playerChanged("main", .wantsSound, false)
        #expect(core.status.isActive)
        let paused = try core.change(request { $0.active = false }).compactMap { action in
            if case .pausePlayers(let players) = action { players } else { nil }
        }
        #expect(paused == [["kitchen"]] && !core.status.isActive)
        _ = core.playerChanged("kitchen", .wantsSound, true)
        #expect(core.status.isActive)
        _ = core.playerLeft("kitchen")
        #expect(!core.status.isActive)
    }

    @Test func othersStaySilent_whileAnAnnouncementPausesTheMusic() throws {
        for options: Set<SessionOption> in [[.duckOthers], []] {
            var core = core()
            _ = try core.change(request { $0.options = options })
            #expect(made(core.playerChanged("main", .wantsSound, true), &core).count == 1)
            var actions = core.playerChanged("main", .announces, true)
            actions += core.playerChanged("main", .wantsSound, false)
            #expect(core.status.isActive)
            actions += core.playerChanged("main", .wantsSound, true)
            actions += core.playerChanged("main", .announces, false)
            #expect(changes(actions).isEmpty && core.status.isActive)
            #expect(changes(core.playerChanged("main", .wantsSound, false)).count == 1)
        }
    }

    @Test func anAnnouncementAlone_ducksOthers_butSilencesNobody() throws {
        var core = core()
        #expect(made(core.playerChanged("main", .announces, true), &core).isEmpty && core.status.isActive)
        let ducked = made(try core.change(request { $0.options = [.duckOthers] }), &core)
        #expect(ducked.count == 1)
        #expect(changes(core.playerLeft("main")).count == 1 && !core.status.isActive)
    }

    @Test func releasedDuringAnAnnouncement_itIsInactive_andTheMusicStaysSilent() throws {
        var core = core()
        _ = core.playerChanged("main", .wantsSound, true)
        _ = core.playerChanged("main", .announces, true)
        _ = core.playerChanged("main", .wantsSound, false)
        let paused = try core.change(request { $0.active = false }).compactMap { action in
            if case .pausePlayers(let players) = action { players } else { nil }
        }
        #expect(paused == [["main"]] && !core.status.isActive)
    }

    @Test func hasAnOutput_whileAnyPlayerHas() {
        var core = core()
        _ = core.playerChanged("kitchen", .hasOutput, true)
        _ = core.playerChanged("main", .hasOutput, false)
        #expect(core.hardware.hasOutput)
        _ = core.playerLeft("kitchen")
        #expect(!core.hardware.hasOutput)
    }

    @Test func othersAreUnchanged_unlessTheOperatorAllowsInterruption() throws {
        var core = core(interruptsOthers: false)
        #expect(made(core.playerChanged("main", .wantsSound, true), &core).isEmpty)
        // Ducking is requested by an option.
        let ducked = made(try core.change(request { $0.options = [.duckOthers] }), &core)
        #expect(ducked.count == 1)
    }

    @Test func anInvalidRequest_changesNothing() throws {
        var core = core()
        let before = core.status
        #expect(throws: Problem.self) {
            try core.change(
                request {
                    $0.category = .ambient
                    $0.mode = .voiceChat
                    $0.silentSwitch = true
                })
        }
        #expect(core.status == before)
    }

    @Test func optionsAlone_leaveTheCategory() throws {
        var core = core()
        _ = try core.change(request { $0.options = [.mixWithOthers] })
        #expect(core.configuration.category == .playback && core.configuration.options == [.mixWithOthers])
        _ = try core.change(request { $0.mode = .moviePlayback })
        #expect(core.configuration.options == [.mixWithOthers])
    }

    @Test func recordRefusesPlay_andNeedsAnInput() throws {
        var core = core()
        let actions = try core.change(request { $0.category = .record })
        #expect(
            actions.contains { if case .applyRules(let rules) = $0 { rules.refusal != nil } else { false } })
        #expect(core.status.recordingRefusal == nil)
        _ = core.otherStreamsChanged(OtherStreams(server: 1))
        #expect(core.status.recordingRefusal != nil)
        _ = try core.change(request { $0.category = .playback })
        let refusal = #expect(throws: Problem.self) {
            try core.change(request { $0.category = .record })
        }
        #expect(refusal?.detail == "The category record needs an input, and there is none.")
    }

    /// SPEC row 105: it needs no output.
    @Test func record_silencesOthers_whileItIsActive() throws {
        var core = core()
        _ = core.playerChanged("main", .hasOutput, false)
        let silenced = made(
            try core.change(
                request {
                    $0.category = .record
                    $0.active = true
                }), &core)
        #expect(silenced.map(\.value) == [.muted(true)])
    }

    @Test func switchAndLock_countOnlyForTheirCategories() throws {
        var core = core()
        var actions = try core.change(
            request {
                $0.silentSwitch = true
                $0.locked = true
            })
        #expect(!actions.contains { if case .interrupt = $0 { true } else { false } })
        actions = try core.change(request { $0.category = .soloAmbient })
        #expect(
            actions.contains { if case .applyRules(let rules) = $0 { rules.isSilenced } else { false } })
        #expect(actions.contains(.interrupt(InterruptionNotice(isBeginning: true, source: .lock))))
        actions = try core.change(request { $0.locked = false })
        #expect(actions.contains(.interrupt(InterruptionNotice(isBeginning: false, source: .lock))))
    }

    @Test func activation_requiresAnOutput_andDeactivationRestoresOthers() throws {
        var core = core()
        let silenced = made(try core.change(request { $0.active = true }), &core)
        #expect(silenced.count == 1)
        var muted = other
        muted.isMuted = true
        _ = core.otherStreamsChanged(OtherStreams(streams: [muted], hasInput: true, server: 1))
        let kept = core
        let restored = changes(try core.change(request { $0.active = false }))
        #expect(restored.count == 1)
        core = kept
        let silent = try core.change(
            request {
                $0.active = false
                $0.notifyOthers = false
            })
        #expect(changes(silent).isEmpty)
        _ = core.playerChanged("main", .hasOutput, false)
        #expect(throws: Problem.self) { try core.change(request { $0.active = true }) }
    }

    @Test func savedState_isRestored() throws {
        var notes: [String: String] = [:]
        let configuration = try SessionConfiguration(
            category: .playAndRecord, options: [.allowAirPlay], mode: .videoChat)
        let entry = OtherStreamsPolicy.Entry(server: 1, index: 2, identity: "x", original: [1], set: [2])
        for case .note(let name, let text) in [
            SessionNotes.change(configuration, silentSwitch: true), SessionNotes.change([entry]),
        ] {
            notes[name] = text
        }
        let core = SessionNotes.core(notes, interruptsOthers: false)
        #expect(core.configuration == configuration && core.silentSwitch)
        for damaged in ["", "{}", "[1]", "{\"category\":\"x\"}"] {
            let core = SessionNotes.core(
                ["session": damaged, "session.journal": damaged], interruptsOthers: false)
            #expect(core.configuration == .standard)
        }
    }
}
