// SPDX-License-Identifier: Apache-2.0

import Playback
import Testing

@testable import Media

@Suite struct HLSScheduleTests {
    // MARK: On demand

    @Test func onDemand_beginsAtTheBeginning_andLoadsAheadOneByOne() {
        var rig = ScheduleRig(ScheduleRig.playlist(7...30, isEnded: true))
        #expect(!rig.schedule.isLive && rig.schedule.cursor == 7)
        #expect(rig.open == [7], "one transfer at a time")
        rig.arriveAll()
        // 30 s ahead in segments of 4 s, besides the one that is read.
        #expect(rig.opened == Array(7...15))
        #expect(rig.want(8).sequence == 8)
        rig.arriveAll()
        #expect(rig.opened == Array(7...16) && rig.open.contains(7), "the last one stays for a short way back")
        _ = rig.want(9)
        #expect(!rig.open.contains(7))
        rig.pass(600)
        #expect(rig.fetches == 0, "what has an end is read once")
    }

    @Test func manyBytesAhead_areEnough() {
        var rig = ScheduleRig(
            ScheduleRig.playlist(0...30, isEnded: true, duration: 1), limits: HLSLimits(aheadBytes: 2_500))
        rig.arriveAll()
        #expect(rig.opened == [0, 1, 2, 3])
    }

    /// Each segment costs memory, however short it is.
    @Test(arguments: [true, false]) func manySegmentsAhead_areEnough(isEnded: Bool) {
        var list = ScheduleRig.playlist(0...900, isEnded: isEnded, duration: 0.001)
        list.targetDuration = 1
        var rig = ScheduleRig(list)
        rig.arriveAll()
        #expect(rig.opened == Array(0...99))
        rig.pass(1)
        #expect(rig.reports.last?.isSatisfied == true)
    }

    @Test func aDay_inShortSegments_isPlacedExactly() {
        let schedule = ScheduleRig(ScheduleRig.playlist(7...43_206, isEnded: true, duration: 2)).schedule
        #expect(schedule.slots.count == 43_200 && schedule.slots.last?.end == 86_400)
        for seconds in [0, 1.999, 2, 43_199.5, 86_398, 86_399.999] {
            let sequence = 7 + Int64(seconds / 2)
            #expect(schedule.sequence(at: seconds) == sequence)
            #expect(schedule.slot(sequence)?.start == Double((sequence - 7) * 2))
            #expect(schedule.slot(sequence)?.segment.media.reference.address.file == "\(sequence).ts")
        }
    }

    @Test func aSeek_closesTheSegmentsAhead() {
        var rig = ScheduleRig(ScheduleRig.playlist(0...100, isEnded: true))
        rig.arriveAll()
        #expect(rig.schedule.sequence(at: 250) == 62)
        #expect(rig.want(62).sequence == 62)
        #expect(rig.open == [62])
        #expect(rig.want(101) == .end)
    }

    @Test func gaps_areNotFetched_butReported() {
        var rig = ScheduleRig(ScheduleRig.playlist(0...3, isEnded: true, gaps: [1]))
        rig.arriveAll()
        #expect(rig.opened == [0, 2, 3])
        guard case .gap = rig.want(1) else { return #expect(Bool(false), "a gap") }
    }

    @Test func theNextRun_isForeseen_whenItIsNearAndComplete() throws {
        var list = ScheduleRig.playlist(0...9, isEnded: true, duration: 1)
        for index in 6...9 { list.segments[index].discontinuity = 1 }
        var rig = ScheduleRig(list)
        let first = try #require(rig.schedule.slot(0)).segment
        for sequence in 0...6 { rig.arrive(Int64(sequence), bytes: sequence == 6 ? 999 : 1_000) }
        #expect(rig.schedule.nextRun(after: 2, of: first) == nil, "it is incomplete")
        rig.arrive(6)
        #expect(rig.schedule.nextRun(after: 0, of: first) == nil, "it is far off")
        #expect(rig.schedule.nextRun(after: 1, of: first) == 6)
        #expect(rig.schedule.nextRun(after: 5, of: first) == 6)
        // Looking ahead changes nothing.
        #expect(rig.schedule.foresee(6).sequence == 6 && rig.schedule.cursor == 0)
        #expect(rig.schedule.foresee(9) == .wait && rig.schedule.foresee(10) == .end)
    }

    @Test func theCursor_followsTheRunThatWasOpenedAhead() {
        var rig = ScheduleRig(ScheduleRig.playlist(0...9, isEnded: true))
        rig.arriveAll()
        _ = rig.want(1)
        rig.turn(to: 3, bytes: 500)
        rig.pass(1)
        #expect(rig.reports.last?.place == 14_000, "in the middle of the fourth")
        #expect(!rig.open.contains(1), "segments that were read are closed")
    }

    @Test func aShortLiveWindow_buffersEnoughAfterAnUnderrun() {
        // The playlist has three segments of 1 s: less than the 7.5 s that a rebuffering needs.
        var rig = ScheduleRig(ScheduleRig.playlist(0...2, duration: 1))
        rig.arriveAll()
        for newest in Int64(3)...12 {
            rig.pass(1)
            rig.reload(ScheduleRig.playlist(newest - 2...newest, duration: 1))
            rig.arriveAll()
        }
        // The reader waits at the first segment meanwhile. Segments that have left the playlist are loaded already.
        let report = rig.reports.last
        #expect(report?.ranges == [0..<13_000])
        #expect(rig.want(1).sequence == 1, "whole segments are played though the playlist has gone on")
    }

    @Test func progress_isReportedInSeconds() {
        var rig = ScheduleRig(ScheduleRig.playlist(0...9, isEnded: true))
        rig.arriveAll()
        _ = rig.want(4)
        rig.now = rig.now.advanced(bySeconds: 1)
        rig.arriveAll()
        let report = rig.reports.last
        #expect(report?.size == 40_000 && report?.unitsPerSecond == 1_000)
        #expect(report?.place == 16_000)
        #expect(report?.ranges == [12_000..<40_000], "the last segment and all that follow")
        #expect(report?.isSatisfied == true)
        _ = rig.want(0)
        rig.arrive(0, bytes: 250)
        rig.pass(1)
        #expect(rig.reports.last?.ranges.first == 0..<1_000)
        #expect(rig.reports.last?.isSatisfied == false)
    }

    // MARK: Live

    @Test func live_isJoinedThreeTargetsBeforeItsEnd() {
        var rig = ScheduleRig(ScheduleRig.playlist(100...119))
        #expect(rig.schedule.isLive && rig.schedule.cursor == 117)
        rig.arriveAll()
        #expect(rig.opened == [117, 118, 119])
        #expect(rig.want(120) == .wait)
        #expect(rig.reports.last?.ranges.first?.lowerBound == 0, "places count from where it was joined")
    }

    @Test func live_isReloadedEachTarget_orSoonerWhenNothingWasNew() {
        var rig = ScheduleRig(ScheduleRig.playlist(100...105))
        rig.arriveAll()
        rig.pass(3.9)
        #expect(rig.fetches == 0)
        rig.pass(0.2)
        #expect(rig.fetches == 1)
        rig.reload(ScheduleRig.playlist(101...106))
        #expect(rig.open.contains(106))
        rig.pass(4)
        #expect(rig.fetches == 2)
        rig.reload(ScheduleRig.playlist(98...103))
        #expect(rig.want(107) == .wait, "a copy that lags behind changes nothing")
        rig.pass(2.1)
        #expect(rig.fetches == 3)
        rig.failReload()
        rig.pass(2.1)
        #expect(rig.fetches == 4, "a failure is no end")
        rig.pass(20.1)
        #expect(rig.fetches == 5, "nor is silence")
    }

    @Test func live_forWeeks_keepsLittle() {
        var rig = ScheduleRig(ScheduleRig.playlist(0...5))
        for first in Int64(1)...2_000 {
            rig.arriveAll()
            _ = rig.want(first + 3)
            rig.pass(4)
            rig.reload(ScheduleRig.playlist(first...first + 5))
        }
        #expect(rig.schedule.slots.count < 12 && rig.open.count < 6)
        #expect(rig.opened.count == 2_003, "each segment once, and none left out")
    }

    /// Such segments take no time, so the reader never falls behind by duration.
    @Test func segmentsWithoutDuration_doNotAccumulate() {
        var rig = ScheduleRig(ScheduleRig.playlist(0...999, duration: 0))
        for round in Int64(1)...5 {
            rig.pass(4)
            rig.reload(ScheduleRig.playlist(round * 1_000 - 1...round * 1_000 + 998, duration: 0))
            #expect(rig.schedule.slots.count <= HLSParser.mostLive)
        }
        #expect(rig.want(1) == .jump(rig.schedule.edge))
    }

    @Test func aReaderThatFallsBehind_jumpsNearTheEnd() {
        var rig = ScheduleRig(ScheduleRig.playlist(100...105))
        rig.arriveAll()
        _ = rig.want(104)
        rig.pass(4)
        // Forty seconds have passed by.
        rig.reload(ScheduleRig.playlist(110...115))
        #expect(rig.want(105) == .jump(113))
        #expect(rig.want(113).sequence == 113)
        let slot = rig.schedule.slot(113)
        #expect(slot.map { $0.start > 0 && $0.segment.discontinuity != 0 } == true, "time goes on, the clock does not")
    }

    @Test func aReaderFarBehindInALongPlaylist_jumpsNearTheEnd() {
        var rig = ScheduleRig(ScheduleRig.playlist(0...9))
        rig.arriveAll()
        rig.pass(4)
        rig.reload(ScheduleRig.playlist(0...40))
        #expect(rig.want(9).sequence == 9, "it is there already")
        #expect(rig.want(10) == .jump(38))
    }

    @Test func discontinuityNumbersThatShift_areCorrected() {
        var rig = ScheduleRig(ScheduleRig.playlist(100...105, discontinuity: 1))
        rig.arriveAll()
        rig.pass(4)
        rig.reload(ScheduleRig.playlist(101...106, discontinuity: 0))
        #expect(rig.schedule.slot(106)?.segment.discontinuity == 1)
    }

    @Test func aStalledPlaylist_fails_onceAllWasPlayed() {
        var rig = ScheduleRig(ScheduleRig.playlist(100...105))
        rig.arriveAll()
        for _ in 0..<12 {
            rig.pass(2)
            rig.reload(ScheduleRig.playlist(100...105))
        }
        #expect(rig.reports.contains { $0.isStalled })
        #expect(rig.want(105).sequence == 105)
        guard case .failed(let error) = rig.want(106) else { return #expect(Bool(false), "a failure") }
        #expect(error.code == .network)
        // It comes back.
        rig.pass(2)
        rig.reload(ScheduleRig.playlist(104...109))
        #expect(rig.want(106).sequence == 106)
    }

    /// Only the current run is sent to the new place, not a run opened ahead.
    @Test func aPlaylistThatRestartsItsNumbering_isJoinedAgain_andHiddenFromRunsAhead() throws {
        var rig = ScheduleRig(ScheduleRig.playlist(100...105))
        rig.arriveAll()
        let first = try #require(rig.schedule.slot(103)).segment
        rig.pass(4)
        rig.reload(ScheduleRig.playlist(0...5))
        rig.arriveAll()
        #expect(rig.schedule.foresee(3) == .wait && rig.schedule.nextRun(after: 3, of: first) == nil)
        #expect(rig.want(104) == .jump(3))
        #expect(rig.schedule.foresee(3).sequence == 3)
        #expect(rig.want(3).sequence == 3)
    }

    @Test func theEndOfALiveStream_isItsEnd() {
        var rig = ScheduleRig(ScheduleRig.playlist(100...105))
        rig.arriveAll()
        rig.pass(4)
        rig.reload(ScheduleRig.playlist(101...106, isEnded: true))
        rig.arriveAll()
        #expect(rig.want(106).sequence == 106)
        #expect(rig.want(107) == .end)
        let fetches = rig.fetches
        rig.pass(100)
        #expect(rig.fetches == fetches)
    }
}
