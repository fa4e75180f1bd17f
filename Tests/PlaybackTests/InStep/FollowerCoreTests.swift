// SPDX-License-Identifier: Apache-2.0

import Testing
import Kernel

@testable import Playback

/// Steps for scripted readings of two players.
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
        #expect(look(playing(item(1), at: 10), StepReading()) == .load(copy(1), position: 10.1), "a little ahead")
        core.loaded(ItemID(number: 7))
        now = now.advanced(bySeconds: 1)
    }

    private mutating func look(_ leader: StepReading, _ follower: StepReading) -> FollowerCore.Step {
        core.look(leader, follower, now: now)
    }

    private func copy(_ number: UInt64, _ uri: String = "a") -> ItemDraft { ItemDraft(uri: uri, reference: number) }

    private func leader(at position: Double) -> StepReading {
        var reading = playing(item(1), at: position)
        reading.jumps = leaderJumps
        return reading
    }

    /// Looks again when requested, like the driver.
    private mutating func step(leader: Double, follower: Double) -> FollowerCore.Step {
        for _ in 0..<20 {
            let step = look(self.leader(at: leader), playing(item(7), at: follower))
            if step != .wait { return step }
            guard let next = core.nextLook, next.seconds(since: now) < 0.5 else { return .wait }
            now = next
        }
        return .wait
    }

    @Test mutating func keepsItsItem_whenItSoundsInStepAlready_orBothAreSilent() {
        let step = look(playing(item(1), at: 10), playing(item(7), at: 10.1))
        #expect(step == .adopt(ItemID(number: 7), as: ItemID(number: 1)))
        #expect(look(playing(item(1), at: 10), playing(item(7), at: 10)) == .wait)
        core = FollowerCore()
        #expect(look(paused(item(1)), paused(item(7))) == .adopt(ItemID(number: 7), as: ItemID(number: 1)))
    }

    @Test mutating func loadsAnew_whenItIsElsewhere() {
        let elsewhere = playing(item(7), at: 50)
        #expect(look(playing(item(1), at: 10), elsewhere) == .load(copy(1), position: 10.1))
        core = FollowerCore()
        #expect(look(playing(item(1), at: 10), playing(item(7, "b"), at: 10)) == .load(copy(1), position: 10.1))
    }

    @Test mutating func joinsAStation_andMeasuresNothing() {
        var station = playing(item(1, "radio"), at: 300)
        station.isLive = true
        #expect(look(station, StepReading()) == .join(copy(1, "radio")))
        core.loaded(ItemID(number: 7))
        now = now.advanced(bySeconds: 1)
        #expect(look(station, playing(item(7), at: 2)) == .wait)
        #expect(core.offset == nil && core.nextLook == nil)
        #expect(look(station, paused(item(7))) == .play(position: nil))
    }

    @Test mutating func isHeardToTheEnd_whenTheLeaderDrains() {
        begun()
        var draining = playing(item(1), at: 20)
        (draining.status, draining.wantsSound) = (.stopping, false)
        #expect(look(draining, playing(item(7), at: 20)) == .wait)
        var stopped = StepReading()
        (stopped.item, stopped.status) = (item(1), .stopped)
        #expect(look(stopped, playing(item(7), at: 22)) == .stop)
    }

    @Test mutating func restsAtTheEnd_whileTheLeadersEffectsDieAway() {
        begun()
        var over = paused(item(7))
        over.status = .completed
        #expect(look(playing(item(1), at: 100), over) == .wait)
        #expect(look(playing(item(1), at: 99), over) != .wait)
    }

    @Test mutating func stopsOnce_whenItCompletedBeforeItsLeaderStopped() {
        begun()
        var (stopped, over) = (paused(item(1)), paused(item(7)))
        (stopped.status, over.status) = (.stopped, .completed)
        #expect(look(stopped, over) == .stop)
        over.status = .stopped
        #expect(look(stopped, over) == .wait)
    }

    @Test mutating func staysApart_whenItIsNotSeekable() {
        begun()
        var follower = playing(item(7), at: 20)
        follower.isSeekable = false
        for _ in 0..<3 {
            #expect(look(playing(item(1), at: 50), follower) == .wait)
            now = now.advanced(bySeconds: 0.1)
        }
        #expect(core.offset.map { abs($0 - 30) < 0.2 } == true)
    }

    @Test mutating func doesNothing_whileTheLeaderIsIdle_andLoadsSilently_whenItIsPaused() {
        #expect(look(StepReading(), StepReading()) == .wait)
        #expect(core.nextLook == nil)
        #expect(look(paused(item(1)), StepReading()) == .load(copy(1), position: nil))
        core.loaded(ItemID(number: 7))
        #expect(look(paused(item(1)), paused(item(7))) == .wait)
        #expect(core.nextLook == nil)
    }

    @Test mutating func shiftsBySmallDistances_andRestsWhenInStep_alsoOverALoop() {
        begun()
        guard case .shift(let seconds) = step(leader: 20, follower: 19.95) else {
            return #expect(Bool(false), "no shift")
        }
        #expect(abs(seconds - 0.05) < 1e-6)
        #expect(step(leader: 30, follower: 30.001) == .wait)
        #expect(core.offset.map { abs($0 + 0.001) < 1e-6 } == true)
        #expect(core.nextLook.map { $0.seconds(since: now) } == 1)
        #expect(step(leader: 0.2, follower: 99.9) == .wait)
    }

    /// Clocks that drift apart at one rate are as far apart each time.
    @Test mutating func shiftsAtOnce_byTheSameDistance_onceTheLastShiftIsHeard() {
        begun()
        let waits = [20.0, 40].map { place in
            #expect(step(leader: place - 10, follower: place - 10) == .wait)
            let began = now
            #expect(step(leader: place, follower: place - 0.05) != .wait)
            return now.seconds(since: began)
        }
        #expect(abs(waits[0] - waits[1]) < 0.01)
    }

    /// The output's thread is half a second late.
    @Test mutating func shiftsOnce_whenTheShiftIsHeardLate() {
        begun()
        #expect(step(leader: 20, follower: 19.95) != .wait)
        let begin = now
        while now.seconds(since: begin) < 0.5, let next = core.nextLook {
            now = next
            #expect(look(leader(at: 20), playing(item(7), at: 19.95)) == .wait)
        }
        #expect(step(leader: 30, follower: 30) == .wait)
        #expect(step(leader: 40, follower: 39.95) != .wait)
    }

    @Test mutating func startsAnew_whenFarApart_andHasLearntHowLongAStartTakes() {
        begun()
        func delay(_ step: FollowerCore.Step, leader: Double) -> Double? {
            if case .play(let position?) = step { ((position - leader) * 1000).rounded() / 1000 } else { nil }
        }
        #expect(delay(step(leader: 20, follower: 19.7), leader: 20) == 0.1)
        #expect(delay(step(leader: 30, follower: 29.7), leader: 30) == 0.4)
        // A shorter delay is adopted at once.
        #expect(step(leader: 40, follower: 40.2) == .shift(40 - 40.2))
        #expect(delay(step(leader: 60, follower: 50), leader: 60) == 0.2)
    }

    @Test mutating func aSingleSlowStart_makesTheNextOneNoEarlier() {
        begun()
        #expect(step(leader: 20, follower: 17) == .play(position: 20.1))
        #expect(step(leader: 30, follower: 30) == .wait)
        #expect(step(leader: 50, follower: 20) == .play(position: 50.1))
    }

    /// A follower was once 2 s ahead, because a seek had been measured as a start delay.
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
        #expect(look(seeking, playing(item(7), at: 20)) == .wait)
        #expect(core.isBehindJump)
        #expect(look(leader(at: 50), playing(item(7), at: 20)) == .play(position: 50.1))
        #expect(!core.isBehindJump)
        // The item's first second is no border if the follower is far from one.
        now = now.advanced(bySeconds: 1)
        leaderJumps += 1
        #expect(look(leader(at: 0.2), playing(item(7), at: 50)) == .play(position: 0.2 + 0.1))
        now = now.advanced(bySeconds: 1)
        leaderJumps += 1
        #expect(look(leader(at: 0.2), playing(item(7), at: 99.9)) == .wait)
        #expect(core.isBehindJump)
        #expect(look(leader(at: 0.3), playing(item(7), at: 0.2)) == .wait)
        #expect(!core.isBehindJump)
    }

    @Test mutating func goesSilentlyWhereItsLeaderWaits_once() {
        begun()
        var (leader, own) = (paused(item(1)), paused(item(7)))
        (leader.position, own.position) = (20, 19.9)
        #expect(look(leader, own) == .wait)
        leader.position = 60
        #expect(look(leader, own) == .seek(60))
        // The follower could come no nearer.
        own.position = 55
        #expect(look(leader, own) == .wait)
        leader.position = 10
        #expect(look(leader, own) == .seek(10))
        own.isSeekable = false
        leader.position = 30
        #expect(look(leader, own) == .wait)
    }

    @Test func aReadingIsOfOneItem_andOfTheSinksClock() {
        var snapshot = PlayerSnapshot()
        snapshot.item = CurrentItem(item: item(1), index: 0)
        (snapshot.clock.position, snapshot.clock.rate, snapshot.clock.sampledAt) = (20, 1, now)
        let later = now.advanced(bySeconds: 2)
        func reading(_ heard: ItemID) -> StepReading {
            // The sink has stalled meanwhile.
            StepReading(
                snapshot, upcoming: nil, heard: AudiblePosition(itemID: heard, position: 20.5, at: later), at: later)
        }
        #expect(reading(ItemID(number: 1)).position == 20.5)
        #expect(reading(ItemID(number: 2)).heard == nil && reading(ItemID(number: 2)).position == 22)
    }

    @Test mutating func playsAtTheLeadersSpeed_andComparesByTheClock() {
        func at(_ rate: Double, _ reading: StepReading) -> StepReading {
            var reading = reading
            (reading.rate, reading.playback.tempo.rate) = (rate, rate)
            reading.heard?.rate = rate
            return reading
        }
        begun()
        let leader = at(2, playing(item(1), at: 20))
        #expect(look(leader, playing(item(7), at: 20)) == .adapt(LeaderPlayback(tempo: Tempo(rate: 2))))
        // No comparison while only one player has changed.
        for _ in 0..<4 { #expect(look(leader, playing(item(7), at: 10)) == .wait) }
        var steps: [FollowerCore.Step] = []
        for _ in 0..<3 { steps.append(look(leader, at(2, playing(item(7), at: 19.9)))) }
        guard case .shift(let seconds) = steps.last else { return #expect(Bool(false), "no shift: \(steps)") }
        #expect(abs(seconds - 0.05) < 1e-6)
        guard case .play(let position?) = look(leader, paused(item(7))) else {
            return #expect(Bool(false), "it does not play")
        }
        #expect(abs(position - 20.2) < 1e-6)
    }

    @Test mutating func followsIntoTheWaitForBytes_thePauseAndTheEnd() {
        begun()
        var starved = playing(item(1), at: 20)
        (starved.status, starved.heard) = (.buffering, nil)
        #expect(look(starved, playing(item(7), at: 20)) == .pause)
        #expect(look(paused(item(1)), playing(item(7), at: 20)) == .pause)
        #expect(look(playing(item(1), at: 20), paused(item(7))) == .play(position: 20.1))
        var over = paused(item(1))
        over.status = .stopped
        #expect(look(over, playing(item(7), at: 20)) == .stop)
    }

    @Test mutating func crossesTheBorderWithTheLeader_inEitherOrder() {
        for leaderIsFirst in [true, false] {
            core = FollowerCore()
            begun()
            let (first, second) = (playing(item(1), at: 99, upcoming: item(2, "b")), playing(item(2), at: 0.1))
            #expect(look(first, playing(item(7), at: 99)) == .append(copy(2, "b")))
            core.appended(ItemID(number: 8))
            let (old, new) = (playing(item(7), at: 99.9), playing(item(8), at: 0.1))
            #expect(look(leaderIsFirst ? second : first, leaderIsFirst ? old : new) == .wait)
            // Both have crossed the border: the old item leaves the follower's queue.
            #expect(look(second, new) == .remove(ItemID(number: 7)))
            #expect(look(second, new) == .wait)
        }
    }

    @Test mutating func dropsAnItemThatNoLongerFollows_andASkipIsNoBorder() {
        begun()
        let first = playing(item(1), at: 50, upcoming: item(2, "b"))
        #expect(look(first, playing(item(7), at: 50)) == .append(copy(2, "b")))
        core.appended(ItemID(number: 8))
        let changed = playing(item(1), at: 50, upcoming: item(3, "c"))
        #expect(look(changed, playing(item(7), at: 50)) == .remove(ItemID(number: 8)))
        #expect(look(changed, playing(item(7), at: 50)) == .append(copy(3, "c")))
        core.appended(ItemID(number: 9))
        let step = look(playing(item(3, "c"), at: 0.2), playing(item(7), at: 50))
        #expect(step == .load(copy(3, "c"), position: 0.2 + 0.1))
    }
}
