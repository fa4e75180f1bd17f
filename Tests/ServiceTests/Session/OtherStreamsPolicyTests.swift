// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Service

/// Changes to other streams, and their undoing (SPEC rows 97, 100, 112, 116; issue 4: also after a crash).
@Suite struct OtherStreamsPolicyTests {
    private func stream(
        _ index: UInt32, role: String? = nil, isMuted: Bool = false, volume: [UInt32] = [65_536, 32_768]
    ) -> OtherStream {
        OtherStream(index: index, identity: "app \(index)", role: role, isMuted: isMuted, volume: volume)
    }

    private func around(_ streams: OtherStream..., server: UInt32 = 7) -> OtherStreams {
        OtherStreams(streams: streams, server: server)
    }

    private func mute(_ index: UInt32, _ isMuted: Bool) -> OtherStreamChange {
        OtherStreamChange(index: index, value: .muted(isMuted), expected: isMuted ? .muted(false) : nil)
    }

    @Test func onlyStreamsMutedByUs_areUnmuted() {
        var policy = OtherStreamsPolicy()
        let first = policy.make(.silence, in: around(stream(1), stream(2, isMuted: true)))
        #expect(first.changes == [mute(1, true)] && first.undos.isEmpty)
        let settled = policy.step(.silence, in: around(stream(1, isMuted: true), stream(2, isMuted: true)))
        #expect(settled == OtherStreamsPolicy.Step())
        let last = policy.step(.mix, in: around(stream(1, isMuted: true), stream(2, isMuted: true)))
        #expect(last.undos == [mute(1, false)] && policy.entries.isEmpty)
    }

    @Test func callsAndBeeps_areNotSilenced() {
        var policy = OtherStreamsPolicy()
        let step = policy.step(
            .silence, in: around(stream(1, role: "phone"), stream(2, role: "event"), stream(3, role: "a11y")))
        #expect(step == OtherStreamsPolicy.Step())
        let speech = policy.step(.silenceSpeech, in: around(stream(3, role: "a11y"), stream(4, role: "music")))
        #expect(speech.changes == [mute(3, true)])
    }

    @Test func aStreamChangedByAUser_isLeftAlone() {
        var policy = OtherStreamsPolicy()
        _ = policy.make(.silence, in: around(stream(1)))
        _ = policy.step(.silence, in: around(stream(1, isMuted: true)))
        // Unmuted by a user: no longer ours, and not muted again.
        let step = policy.step(.silence, in: around(stream(1)))
        #expect(step.changes.isEmpty && step.undos.isEmpty && policy.entries.isEmpty)
        #expect(policy.step(.silence, in: around(stream(1))) == OtherStreamsPolicy.Step())
        // Muted by a user afterwards: stays muted.
        #expect(policy.step(.mix, in: around(stream(1, isMuted: true))).undos.isEmpty)
    }

    @Test func aReportOlderThanOurChange_isNoChangeByAUser() {
        var policy = OtherStreamsPolicy()
        _ = policy.make(.silence, in: around(stream(1)))
        #expect(policy.step(.silence, in: around(stream(1))) == OtherStreamsPolicy.Step())
        #expect(policy.entries.count == 1)
    }

    @Test func ducking_isMinusTwentyDecibels_andExactlyUndone() throws {
        var policy = OtherStreamsPolicy()
        let step = policy.make(.duck, in: around(stream(1)))
        guard case .volume(let set)? = step.changes.first?.value else {
            return #expect(Bool(false), "nothing was ducked")
        }
        let amplitude = Double(set[0]) / 65_536
        #expect(abs(amplitude * amplitude * amplitude - 0.1) < 0.001)
        _ = policy.step(.duck, in: around(stream(1, volume: set)))
        let undone = policy.step(.mix, in: around(stream(1, volume: set))).undos
        #expect(undone == [OtherStreamChange(index: 1, value: .volume([65_536, 32_768]))])
    }

    @Test func aStreamThatEnds_isForgotten() {
        var policy = OtherStreamsPolicy()
        _ = policy.step(.duck, in: around(stream(1)))
        #expect(policy.step(.duck, in: around()).undos.isEmpty && policy.entries.isEmpty)
    }

    @Test func afterACrash_onlyTheSameStreamOfTheSameServer_isRestored() {
        func entry(_ server: UInt32, _ index: UInt32, _ identity: String) -> OtherStreamsPolicy.Entry {
            OtherStreamsPolicy.Entry(server: server, index: index, identity: identity)
        }
        var policy = OtherStreamsPolicy(entries: [
            entry(7, 1, "app 1"), entry(7, 2, "somebody else"), entry(6, 3, "app 3"), entry(7, 4, "app 4"),
        ])
        let step = policy.step(
            .mix,
            in: around(
                stream(1, isMuted: true), stream(2, isMuted: true), stream(3, isMuted: true), stream(4)))
        #expect(step.undos == [mute(1, false)])
        #expect(policy.entries.isEmpty)
    }

    @Test func fromDuckingToSilence_theVolumeIsRestoredFirst() {
        var policy = OtherStreamsPolicy()
        let set: [UInt32] = [30_419, 15_210]
        _ = policy.make(.duck, in: around(stream(1)))
        _ = policy.step(.duck, in: around(stream(1, volume: set)))
        let step = policy.step(.silence, in: around(stream(1, volume: set)))
        #expect(step.undos == [OtherStreamChange(index: 1, value: .volume([65_536, 32_768]))])
        #expect(step.changes == [mute(1, true)] && policy.entries.count == 1)
    }

    /// No report needs to come in between.
    @Test func fromDuckingToSilence_whileTheDuckIsUnderWay_theMuteFollows() {
        var policy = OtherStreamsPolicy()
        let step = policy.step(.duck, in: around(stream(1)))
        let due = policy.saved(step.changes, .duck, in: around(stream(1)))
        #expect(policy.step(.silence, in: around(stream(1))) == OtherStreamsPolicy.Step())
        _ = policy.decided(due[0], isMade: true)
        let last = policy.step(.silence, in: around(stream(1)))
        #expect(last.undos == [OtherStreamChange(index: 1, value: .volume([65_536, 32_768]))])
        #expect(last.changes == [mute(1, true)])
    }

    @Test func fromSilenceToDucking_theStreamIsUnmutedAndDucked() {
        var policy = OtherStreamsPolicy()
        _ = policy.make(.silence, in: around(stream(1)))
        let muted = around(stream(1, isMuted: true))
        _ = policy.step(.silence, in: muted)
        let step = policy.step(.duck, in: muted)
        #expect(step.undos == [mute(1, false)] && step.changes.map(\.value) == [.volume([30_419, 15_210])])
    }

    /// After an undo that no report has shown yet, or after the session has left the streams as they are.
    @Test(arguments: [false, true])
    func aVolumeOfOurs_isNotDuckedAgain(_ isForgotten: Bool) {
        var policy = OtherStreamsPolicy()
        let ducked = around(stream(1, volume: [30_419, 15_210]))
        _ = policy.make(.duck, in: around(stream(1)))
        _ = policy.step(.duck, in: ducked)
        if isForgotten { _ = policy.forget() } else { _ = policy.step(.mix, in: ducked) }
        #expect(policy.step(.duck, in: ducked) == OtherStreamsPolicy.Step() && policy.entries.isEmpty)
        #expect(policy.step(.duck, in: around(stream(1))).changes.count == 1)
    }

    @Test func aVolumeOfOurs_isNotDuckedAgain_whenItsReportComesLate() {
        var policy = OtherStreamsPolicy()
        _ = policy.make(.duck, in: around(stream(1)))
        _ = policy.forget()
        _ = policy.step(.mix, in: around(stream(1)))
        #expect(policy.step(.duck, in: around(stream(1, volume: [30_419, 15_210]))) == OtherStreamsPolicy.Step())
    }

    /// The answer to the first save is none to the second.
    @Test func aChangeThatIsForgottenWhileItIsSaved_isNotRequestedTwice() {
        var policy = OtherStreamsPolicy()
        let step = policy.step(.silence, in: around(stream(1)))
        _ = policy.forget()
        #expect(policy.step(.silence, in: around(stream(1))) == OtherStreamsPolicy.Step())
        #expect(policy.saved(step.changes, .silence, in: around(stream(1))) == step.changes)
    }

    /// It would be heard without us, until a report shows it unmuted. One that is forgotten is silent as any other.
    @Test func aStreamWhoseUndoIsRequested_countsAsMutedByUs() {
        var policy = OtherStreamsPolicy()
        let muted = stream(1, isMuted: true)
        _ = policy.make(.silence, in: around(stream(1)))
        _ = policy.step(.silence, in: around(muted))
        var forgetful = policy
        _ = forgetful.forget()
        #expect(!forgetful.isMutedByUs(muted) && forgetful.entries.isEmpty)
        _ = policy.step(.mix, in: around(muted))
        #expect(policy.isMutedByUs(muted))
        _ = policy.step(.mix, in: around(stream(1)))
        #expect(!policy.isMutedByUs(muted))
    }

    /// A change that its connection took along is not made again, and a later mute by the user is not undone.
    @Test func aChangeLostWithTheConnection_isNotOurs() {
        var policy = OtherStreamsPolicy()
        _ = policy.make(.silence, in: around(stream(1)))
        policy.streamsLost()
        let step = policy.step(.silence, in: around(stream(1)))
        #expect(step == OtherStreamsPolicy.Step() && policy.entries.isEmpty)
        #expect(policy.step(.mix, in: around(stream(1, isMuted: true))).undos.isEmpty)
    }

    @Test func aStreamRestoredBeforeTheStart_isSilencedLater() {
        var policy = OtherStreamsPolicy(entries: [
            OtherStreamsPolicy.Entry(server: 7, index: 1, identity: "app 1")
        ])
        _ = policy.step(.mix, in: around(stream(1)))
        #expect(policy.step(.silence, in: around(stream(1))).changes == [mute(1, true)])
    }

    @Test func aChangeThatIsNotSaved_isNotMade() {
        var policy = OtherStreamsPolicy()
        let step = policy.step(.silence, in: around(stream(1)))
        policy.notSaved(step.changes)
        #expect(policy.entries.isEmpty)
        #expect(policy.step(.mix, in: around(stream(1, isMuted: true))).undos.isEmpty)
    }

    /// Only the answer shows whether there is something to undo.
    @Test func aChangeUnderWay_isUndoneOnceItIsMade() {
        var policy = OtherStreamsPolicy()
        let step = policy.step(.silence, in: around(stream(1)))
        let due = policy.saved(step.changes, .silence, in: around(stream(1)))
        let waiting = policy.step(.mix, in: around(stream(1)))
        #expect(due == [mute(1, true)] && waiting == OtherStreamsPolicy.Step())
        let isAwaited = policy.decided(due[0], isMade: true)
        let last = policy.step(.mix, in: around(stream(1)))
        #expect(isAwaited && last.undos == [mute(1, false)] && policy.entries.isEmpty)
    }

    @Test func aChangeNoLongerWanted_isNotMadeOnceItIsSaved() {
        var policy = OtherStreamsPolicy()
        let step = policy.step(.silence, in: around(stream(1)))
        #expect(policy.step(.mix, in: around(stream(1))) == OtherStreamsPolicy.Step() && policy.entries.count == 1)
        #expect(policy.saved(step.changes, .mix, in: around(stream(1))).isEmpty && policy.entries.isEmpty)
    }

    @Test(arguments: [false, true])
    func abandonedChanges_areUndoneIfTheyWereRequested(_ isRequested: Bool) {
        var policy = OtherStreamsPolicy()
        let step = policy.step(.silence, in: around(stream(1)))
        if isRequested { _ = policy.saved(step.changes, .silence, in: around(stream(1))) }
        #expect(policy.abandonChanges() == (isRequested ? [mute(1, false)] : []) && policy.entries.isEmpty)
        let isAwaited = policy.decided(step.changes[0], isMade: true)
        #expect(!isAwaited)
    }

    @Test func aStreamThatItsUserMutedFirst_staysMuted() {
        var policy = OtherStreamsPolicy()
        let step = policy.step(.silence, in: around(stream(1)))
        let due = policy.saved(step.changes, .silence, in: around(stream(1)))
        // Muted by its user: no change of ours is confirmed by that.
        _ = policy.step(.silence, in: around(stream(1, isMuted: true)))
        let isAwaited = policy.decided(due[0], isMade: false)
        #expect(isAwaited && policy.entries.isEmpty)
        #expect(policy.step(.mix, in: around(stream(1, isMuted: true))).undos.isEmpty)
    }
}

extension OtherStreamsPolicy {
    /// The changes of the step are saved and made.
    fileprivate mutating func make(_ others: SessionConfiguration.Others, in otherStreams: OtherStreams) -> Step {
        let step = step(others, in: otherStreams)
        for change in saved(step.changes, others, in: otherStreams) { _ = decided(change, isMade: true) }
        return step
    }
}
