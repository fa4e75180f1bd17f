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
        #expect(first.made == [mute(1, true)] && first.isToBeSaved && first.undone.isEmpty)
        let settled = policy.step(.silence, in: around(stream(1, isMuted: true), stream(2, isMuted: true)))
        #expect(settled == OtherStreamsPolicy.Step())
        let last = policy.step(.mix, in: around(stream(1, isMuted: true), stream(2, isMuted: true)))
        #expect(last.undone == [mute(1, false)] && last.isToBeSaved && policy.entries.isEmpty)
    }

    @Test func callsAndBeeps_areNotSilenced() {
        var policy = OtherStreamsPolicy()
        let step = policy.step(
            .silence, in: around(stream(1, role: "phone"), stream(2, role: "event"), stream(3, role: "a11y")))
        #expect(step == OtherStreamsPolicy.Step())
        let speech = policy.step(.silenceSpeech, in: around(stream(3, role: "a11y"), stream(4, role: "music")))
        #expect(speech.made == [mute(3, true)])
    }

    @Test func aStreamChangedByAUser_isLeftAlone() {
        var policy = OtherStreamsPolicy()
        _ = policy.make(.silence, in: around(stream(1)))
        _ = policy.step(.silence, in: around(stream(1, isMuted: true)))
        // Unmuted by a user: no longer ours, and not muted again.
        let step = policy.step(.silence, in: around(stream(1)))
        #expect(step.made.isEmpty && step.undone.isEmpty && policy.entries.isEmpty)
        let nothing = policy.step(.silence, in: around(stream(1)))
        #expect(nothing == OtherStreamsPolicy.Step())
        // Muted by a user afterwards: stays muted.
        let last = policy.step(.mix, in: around(stream(1, isMuted: true)))
        #expect(last.undone.isEmpty)
    }

    @Test func aReportOlderThanOurChange_isNoChangeByAUser() {
        var policy = OtherStreamsPolicy()
        _ = policy.make(.silence, in: around(stream(1)))
        let nothing = policy.step(.silence, in: around(stream(1)))
        #expect(nothing == OtherStreamsPolicy.Step())
        #expect(policy.entries.count == 1)
    }

    @Test func ducking_isMinusTwentyDecibels_andExactlyUndone() throws {
        var policy = OtherStreamsPolicy()
        let step = policy.make(.duck, in: around(stream(1)))
        guard case .volume(let set)? = step.made.first?.value else {
            Issue.record("nothing was ducked")
            return
        }
        let amplitude = Double(set[0]) / 65_536
        #expect(abs(amplitude * amplitude * amplitude - 0.1) < 0.001)
        _ = policy.step(.duck, in: around(stream(1, volume: set)))
        let undone = policy.step(.mix, in: around(stream(1, volume: set))).undone
        #expect(undone == [OtherStreamChange(index: 1, value: .volume([65_536, 32_768]))])
    }

    @Test func aStreamThatEnds_isForgotten() {
        var policy = OtherStreamsPolicy()
        _ = policy.step(.duck, in: around(stream(1)))
        let step = policy.step(.duck, in: around())
        #expect(step.isToBeSaved && step.undone.isEmpty && policy.entries.isEmpty)
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
        #expect(step.undone == [mute(1, false)])
        #expect(policy.entries.isEmpty && step.isToBeSaved)
    }

    @Test func fromDuckingToSilence_theVolumeIsRestoredFirst() {
        var policy = OtherStreamsPolicy()
        let set: [UInt32] = [30_419, 15_210]
        _ = policy.make(.duck, in: around(stream(1)))
        _ = policy.step(.duck, in: around(stream(1, volume: set)))
        let step = policy.step(.silence, in: around(stream(1, volume: set)))
        #expect(step.undone.count == 1 && step.made.isEmpty)
        let next = policy.step(.silence, in: around(stream(1)))
        #expect(next.made == [mute(1, true)])
    }

    @Test func aChangeThatIsNotSaved_isNotMade() {
        var policy = OtherStreamsPolicy()
        let step = policy.step(.silence, in: around(stream(1)))
        policy.notSaved(step.made)
        #expect(policy.entries.isEmpty)
        let last = policy.step(.mix, in: around(stream(1, isMuted: true)))
        #expect(last.undone.isEmpty)
    }

    /// Only the answer tells whether there is something to undo.
    @Test func aChangeUnderWay_isUndoneOnceItIsMade() {
        var policy = OtherStreamsPolicy()
        let step = policy.step(.silence, in: around(stream(1)))
        let due = policy.saved(step.made, .silence, in: around(stream(1)))
        let waiting = policy.step(.mix, in: around(stream(1)))
        #expect(due == [mute(1, true)] && waiting == OtherStreamsPolicy.Step())
        let isAwaited = policy.decided(due[0], isMade: true)
        let last = policy.step(.mix, in: around(stream(1)))
        #expect(isAwaited && last.undone == [mute(1, false)] && policy.entries.isEmpty)
    }

    @Test func aChangeNoLongerWanted_isNotMadeOnceItIsSaved() {
        var policy = OtherStreamsPolicy()
        let step = policy.step(.silence, in: around(stream(1)))
        let early = policy.step(.mix, in: around(stream(1)))
        #expect(early == OtherStreamsPolicy.Step() && policy.entries.count == 1)
        let due = policy.saved(step.made, .mix, in: around(stream(1)))
        #expect(due.isEmpty && policy.entries.isEmpty)
    }

    @Test(arguments: [false, true])
    func abandonedChanges_areUndoneIfTheyWereRequested(_ isRequested: Bool) {
        var policy = OtherStreamsPolicy()
        let step = policy.step(.silence, in: around(stream(1)))
        if isRequested { _ = policy.saved(step.made, .silence, in: around(stream(1))) }
        let undone = policy.abandonChanges()
        #expect(undone == (isRequested ? [mute(1, false)] : []) && policy.entries.isEmpty)
        let isAwaited = policy.decided(step.made[0], isMade: true)
        #expect(!isAwaited)
    }

    @Test func aStreamThatItsUserMutedFirst_staysMuted() {
        var policy = OtherStreamsPolicy()
        let step = policy.step(.silence, in: around(stream(1)))
        let due = policy.saved(step.made, .silence, in: around(stream(1)))
        // Muted by its user: no change of ours is confirmed by that.
        _ = policy.step(.silence, in: around(stream(1, isMuted: true)))
        let isAwaited = policy.decided(due[0], isMade: false)
        #expect(isAwaited && policy.entries.isEmpty)
        let last = policy.step(.mix, in: around(stream(1, isMuted: true)))
        #expect(last.undone.isEmpty)
    }
}

extension OtherStreamsPolicy {
    /// The changes of the step are saved and made.
    fileprivate mutating func make(_ others: SessionConfiguration.Others, in otherStreams: OtherStreams) -> Step {
        let step = step(others, in: otherStreams)
        for change in saved(step.made, others, in: otherStreams) { _ = decided(change, isMade: true) }
        return step
    }
}
