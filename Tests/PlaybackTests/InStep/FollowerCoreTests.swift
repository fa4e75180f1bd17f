// SPDX-License-Identifier: Apache-2.0

import Testing
import Kernel

@testable import Playback

/// On scripted readings of two players.
@Suite struct FollowerCoreTests {
    private var core = FollowerCore()
    private var now = MonotonicTime(nanoseconds: 1_000_000_000)
    private var leaderJumps: UInt64 = 0

    private func item(_ number: UInt64, _ uri: String = "a") -> QueueItem {
        QueueItem(id: ItemID(number: number), draft: ItemDraft(uri: uri))
    }

    private func playing(_ item: QueueItem, at position: Double, upcoming: QueueItem? = nil) -> StepReading {
        var reading = StepReading()
        reading.item = item
        reading.upcoming = upcoming
        reading.status = .playing
        reading.wantsSound = true
        reading.position = position
        reading.rate = 1
        reading.end = 100
        reading.heard = AudiblePosition(itemID: item.id, position: position, at: now)
        return reading
    }

    private func paused(_ item: QueueItem) -> StepReading {
        var reading = StepReading()
        reading.item = item
        reading.status = .paused
        return reading
    }

    /// The follower has loaded the leader's item and plays it.
    private mutating func begun() {
        _ = core.look(playing(item(1), at: 10), StepReading(), now: now)
        core.loaded(ItemID(number: 7))
        now = now.advanced(bySeconds: 1)
    }

    private func leader(at position: Double) -> StepReading {
        var reading = playing(item(1), at: position)
        reading.jumps = leaderJumps
        return reading
    }

    /// As the driver does: looks again when asked to.
    private mutating func step(leader: Double, follower: Double) -> FollowerCore.Step {
        for _ in 0..<20 {
            let step = core.look(self.leader(at: leader), playing(item(7), at: follower), now: now)
            if step != .wait { return step }
            guard let next = core.nextLook, next.seconds(since: now) < 0.5 else { return .wait }
            now = next
        }
        return .wait
    }

    @Test mutating func loadsWhatTheLeaderPlays_aLittleAhead() {
        let step = core.look(playing(item(1, "song"), at: 10), StepReading(), now: now)
        #expect(step == .load(ItemDraft(uri: "song", reference: 1), position: 10.1))
    }

    @Test mutating func keepsItsItem_whenItSoundsInStepAlready() {
        let step = core.look(playing(item(1), at: 10), playing(item(7), at: 10.1), now: now)
        #expect(step == .adopt(ItemID(number: 7), as: ItemID(number: 1)))
        #expect(core.look(playing(item(1), at: 10), playing(item(7), at: 10), now: now) == .wait)
    }

    @Test mutating func keepsItsItem_whenBothAreSilent() {
        #expect(
            core.look(paused(item(1)), paused(item(7)), now: now) == .adopt(ItemID(number: 7), as: ItemID(number: 1)))
    }

    @Test mutating func loadsAnew_whenItIsElsewhere() {
        let elsewhere = playing(item(7), at: 50)
        #expect(
            core.look(playing(item(1), at: 10), elsewhere, now: now)
                == .load(ItemDraft(uri: "a", reference: 1), position: 10.1))
        core = FollowerCore()
        #expect(
            core.look(playing(item(1), at: 10), playing(item(7, "b"), at: 10), now: now)
                == .load(ItemDraft(uri: "a", reference: 1), position: 10.1))
    }

    @Test mutating func joinsAStation_andMeasuresNothing() {
        var station = playing(item(1, "radio"), at: 300)
        station.isLive = true
        #expect(core.look(station, StepReading(), now: now) == .join(ItemDraft(uri: "radio", reference: 1)))
        core.loaded(ItemID(number: 7))
        now = now.advanced(bySeconds: 1)
        #expect(core.look(station, playing(item(7), at: 2), now: now) == .wait)
        #expect(core.offset == nil && core.nextLook == nil)
        #expect(core.look(station, paused(item(7)), now: now) == .play(position: nil))
    }

    @Test mutating func isHeardToTheEnd_whenTheLeaderDrains() {
        begun()
        var draining = playing(item(1), at: 20)
        (draining.status, draining.wantsSound) = (.stopping, false)
        #expect(core.look(draining, playing(item(7), at: 20), now: now) == .wait)
        var stopped = StepReading()
        (stopped.item, stopped.status) = (item(1), .stopped)
        #expect(core.look(stopped, playing(item(7), at: 22), now: now) == .stop)
    }

    @Test mutating func restsAtTheEnd_whileTheLeadersEffectsDieAway() {
        begun()
        var over = paused(item(7))
        over.status = .completed
        #expect(core.look(playing(item(1), at: 100), over, now: now) == .wait)
        #expect(core.look(playing(item(1), at: 99), over, now: now) != .wait)
    }

    @Test mutating func staysApart_whereItCannotBeSearched() {
        begun()
        var follower = playing(item(7), at: 20)
        follower.isSeekable = false
        for _ in 0..<3 {
            #expect(core.look(playing(item(1), at: 50), follower, now: now) == .wait)
            now = now.advanced(bySeconds: 0.1)
        }
        #expect(core.offset.map { abs($0 - 30) < 0.2 } == true)
    }

    @Test mutating func loadsSilently_whenTheLeaderIsPaused() {
        #expect(
            core.look(paused(item(1)), StepReading(), now: now)
                == .load(ItemDraft(uri: "a", reference: 1), position: nil))
        core.loaded(ItemID(number: 7))
        #expect(core.look(paused(item(1)), paused(item(7)), now: now) == .wait)
        #expect(core.nextLook == nil)
    }

    @Test mutating func shiftsBySmallDistances_andRestsWhenInStep() {
        begun()
        guard case .shift(let seconds) = step(leader: 20, follower: 19.95) else {
            Issue.record("no shift")
            return
        }
        #expect(abs(seconds - 0.05) < 1e-6)
        #expect(step(leader: 30, follower: 30.001) == .wait)
        #expect(core.offset.map { abs($0 + 0.001) < 1e-6 } == true)
        #expect(core.nextLook.map { $0.seconds(since: now) } == 1)
    }

    @Test mutating func startsAnew_whenFarApart_andHasLearntHowLongAStartTakes() {
        begun()
        func delay(_ step: FollowerCore.Step, leader: Double) -> Double? {
            if case .play(let position?) = step { ((position - leader) * 1000).rounded() / 1000 } else { nil }
        }
        #expect(delay(step(leader: 20, follower: 19.7), leader: 20) == 0.1)
        #expect(delay(step(leader: 30, follower: 29.7), leader: 30) == 0.4)
        // Sooner than that, it is believed at once.
        #expect(step(leader: 40, follower: 40.2) == .shift(40 - 40.2))
        #expect(delay(step(leader: 60, follower: 50), leader: 60) == 0.2)
    }

    @Test mutating func aSingleSlowStart_makesTheNextOneNoEarlier() {
        begun()
        #expect(step(leader: 20, follower: 17) == .play(position: 20.1))
        #expect(step(leader: 30, follower: 30) == .wait)
        #expect(step(leader: 50, follower: 20) == .play(position: 50.1))
    }

    /// Twice a follower was 2 s ahead of its leader: a seek had been taken for the delay of a start.
    @Test mutating func aJumpBehindAStart_isNoDelay() {
        begun()
        leaderJumps += 1
        #expect(step(leader: 50, follower: 20) == .play(position: 50.1))
        leaderJumps += 1
        #expect(step(leader: 90, follower: 50) == .play(position: 90.1))
        leaderJumps += 1
        #expect(step(leader: 30, follower: 90) == .play(position: 30.1))
    }

    @Test mutating func aJumpIsFollowedByTheFirstReading() {
        begun()
        #expect(step(leader: 20, follower: 20) == .wait)
        leaderJumps += 1
        var seeking = leader(at: 50)
        (seeking.status, seeking.heard) = (.seeking, nil)
        #expect(core.look(seeking, playing(item(7), at: 20), now: now) == .wait)
        #expect(core.isBehindJump)
        #expect(core.look(leader(at: 50), playing(item(7), at: 20), now: now) == .play(position: 50.1))
        #expect(!core.isBehindJump)
        // Its first second is no border when the follower is far from one.
        now = now.advanced(bySeconds: 1)
        leaderJumps += 1
        #expect(core.look(leader(at: 0.2), playing(item(7), at: 50), now: now) == .play(position: 0.2 + 0.1))
        now = now.advanced(bySeconds: 1)
        leaderJumps += 1
        #expect(core.look(leader(at: 0.2), playing(item(7), at: 99.9), now: now) == .wait)
        #expect(core.isBehindJump)
        #expect(core.look(leader(at: 0.3), playing(item(7), at: 0.2), now: now) == .wait)
        #expect(!core.isBehindJump)
    }

    @Test mutating func goesSilentlyWhereItsLeaderWaits_once() {
        begun()
        var (leader, own) = (paused(item(1)), paused(item(7)))
        (leader.position, own.position) = (20, 19.9)
        #expect(core.look(leader, own, now: now) == .wait)
        leader.position = 60
        #expect(core.look(leader, own, now: now) == .seek(60))
        // It could come no nearer.
        own.position = 55
        #expect(core.look(leader, own, now: now) == .wait)
        leader.position = 10
        #expect(core.look(leader, own, now: now) == .seek(10))
        own.isSeekable = false
        leader.position = 30
        #expect(core.look(leader, own, now: now) == .wait)
    }

    @Test func aReadingIsOfOneItem_andOfTheSinksClock() {
        var snapshot = PlayerSnapshot()
        snapshot.item = CurrentItem(item: item(1), index: 0)
        (snapshot.clock.position, snapshot.clock.rate, snapshot.clock.sampledAt) = (20, 1, now)
        let later = now.advanced(bySeconds: 2)
        func reading(_ heard: ItemID) -> StepReading {
            // The sink has stood still meanwhile.
            StepReading(
                snapshot, upcoming: nil, heard: AudiblePosition(itemID: heard, position: 20.5, at: later), at: later)
        }
        #expect(reading(ItemID(number: 1)).position == 20.5)
        #expect(reading(ItemID(number: 2)).heard == nil && reading(ItemID(number: 2)).position == 22)
    }

    @Test mutating func playsAtTheLeadersSpeed_andComparesByTheClock() {
        func at(_ rate: Double, _ reading: StepReading) -> StepReading {
            var reading = reading
            (reading.rate, reading.manner.tempo.rate) = (rate, rate)
            reading.heard?.rate = rate
            return reading
        }
        begun()
        let leader = at(2, playing(item(1), at: 20))
        #expect(core.look(leader, playing(item(7), at: 20), now: now) == .adapt(LeadersManner(tempo: Tempo(rate: 2))))
        // Not compared while only one has changed.
        for _ in 0..<4 { #expect(core.look(leader, playing(item(7), at: 10), now: now) == .wait) }
        var steps: [FollowerCore.Step] = []
        for _ in 0..<3 { steps.append(core.look(leader, at(2, playing(item(7), at: 19.9)), now: now)) }
        guard case .shift(let seconds) = steps.last else {
            Issue.record("no shift: \(steps)")
            return
        }
        #expect(abs(seconds - 0.05) < 1e-6)
        guard case .play(let position?) = core.look(leader, paused(item(7)), now: now) else {
            Issue.record("it does not play")
            return
        }
        #expect(abs(position - 20.2) < 1e-6)
    }

    @Test mutating func aLoopIsNoDistance() {
        begun()
        #expect(step(leader: 0.2, follower: 99.9) == .wait)
    }

    @Test mutating func followsIntoThePause_andIntoTheEnd() {
        begun()
        #expect(core.look(paused(item(1)), playing(item(7), at: 20), now: now) == .pause)
        #expect(core.look(playing(item(1), at: 20), paused(item(7)), now: now) == .play(position: 20.1))
        var over = paused(item(1))
        over.status = .stopped
        #expect(core.look(over, playing(item(7), at: 20), now: now) == .stop)
    }

    @Test mutating func waitsWithTheLeader_thatWaitsForBytes() {
        begun()
        var leader = playing(item(1), at: 20)
        leader.status = .buffering
        leader.heard = nil
        #expect(core.look(leader, playing(item(7), at: 20), now: now) == .pause)
    }

    @Test mutating func crossesTheBorderWithTheLeader_whoeverIsFirst() {
        for leaderIsFirst in [true, false] {
            core = FollowerCore()
            begun()
            let (first, second) = (playing(item(1), at: 99, upcoming: item(2, "b")), playing(item(2), at: 0.1))
            #expect(core.look(first, playing(item(7), at: 99), now: now) == .append(ItemDraft(uri: "b", reference: 2)))
            core.appended(ItemID(number: 8))
            let (old, new) = (playing(item(7), at: 99.9), playing(item(8), at: 0.1))
            #expect(core.look(leaderIsFirst ? second : first, leaderIsFirst ? old : new, now: now) == .wait)
            // Both are over: what was heard leaves the follower's queue.
            #expect(core.look(second, new, now: now) == .remove(ItemID(number: 7)))
            #expect(core.look(second, new, now: now) == .wait)
        }
    }

    @Test mutating func aSkipIsNoBorder() {
        begun()
        let first = playing(item(1), at: 50, upcoming: item(2, "b"))
        #expect(core.look(first, playing(item(7), at: 50), now: now) == .append(ItemDraft(uri: "b", reference: 2)))
        core.appended(ItemID(number: 8))
        let step = core.look(playing(item(2, "b"), at: 0.2), playing(item(7), at: 50), now: now)
        #expect(step == .load(ItemDraft(uri: "b", reference: 2), position: 0.2 + 0.1))
    }

    @Test mutating func dropsWhatNoLongerFollows() {
        begun()
        #expect(
            core.look(playing(item(1), at: 99, upcoming: item(2, "b")), playing(item(7), at: 99), now: now)
                == .append(ItemDraft(uri: "b", reference: 2)))
        core.appended(ItemID(number: 8))
        let changed = playing(item(1), at: 99, upcoming: item(3, "c"))
        #expect(core.look(changed, playing(item(7), at: 99), now: now) == .remove(ItemID(number: 8)))
        #expect(core.look(changed, playing(item(7), at: 99), now: now) == .append(ItemDraft(uri: "c", reference: 3)))
    }

    @Test mutating func doesNothing_whileTheLeaderIsIdle() {
        #expect(core.look(StepReading(), StepReading(), now: now) == .wait)
        #expect(core.nextLook == nil)
    }
}
