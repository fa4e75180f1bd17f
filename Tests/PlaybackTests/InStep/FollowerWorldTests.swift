// SPDX-License-Identifier: Apache-2.0

import Kernel
import Testing

@testable import Playback

/// Two complete players on scripted sinks, and a follower's thread that is starved for seconds.
@Suite struct FollowerWorldTests {
    private struct Pair {
        var leader = SimulatedWorld(seed: 3)
        var follower: SimulatedWorld
        var core = FollowerCore()
        var random: SeededGenerator
        /// The rest of the present step; the next command is sent when the thread runs.
        private var commands: [PlayerCommand] = []
        private var lookedAt = MonotonicTime(nanoseconds: 0)
        private var jumps: UInt64 = 0
        private var runsAt = MonotonicTime(nanoseconds: 0)
        private var token: CommandToken?
        private var keep: (inout FollowerCore, ItemID?) -> Void = { _, _ in }
        /// The largest distance in seconds by which a start was requested ahead of the leader.
        private(set) var mostAhead = 0.0

        init(seed: UInt64, _ uris: [String] = ["0-20", "1-20", "2-20"]) {
            random = SeededGenerator(seed: seed)
            follower = SimulatedWorld(seed: seed)
            follower.apply { $0.leader = "leader" }
            leader.add(uris, play: true)
        }

        mutating func run(seconds: Double, starved: Bool) {
            let end = leader.now.advanced(bySeconds: seconds)
            while leader.now < end {
                leader.run(seconds: 0.005)
                follower.run(seconds: 0.005)
                turn(starved)
            }
        }

        private mutating func turn(_ starved: Bool) {
            guard runsAt <= leader.now else { return }
            if let token {
                guard let outcome = follower.replies[token] else { return }
                self.token = nil
                if case .done(let inserted) = outcome {
                    if let number = inserted?.first { keep(&core, ItemID(number: number)) }
                } else {
                    commands = []
                    core.forget()
                }
            } else if commands.isEmpty {
                look()
            } else {
                perform(commands.removeFirst())
            }
            runsAt = leader.now.advanced(
                bySeconds: starved && Int.random(in: 0..<4, using: &random) == 0
                    ? Double.random(in: 0...3, using: &random) : 0)
        }

        private mutating func look() {
            (lookedAt, jumps) = (leader.now, leader.core.discontinuity)
            let step = core.look(reading(leader), reading(follower), now: lookedAt)
            switch step {
            case .load: keep = { $0.loaded($1) }
            case .append: keep = { $0.appended($1) }
            case .adopt, .join: Issue.record("not in this test")
            default: keep = { _, _ in }
            }
            commands = step.commands { [] }
        }

        private mutating func perform(_ command: PlayerCommand) {
            let command = core.onTime(command, since: lookedAt, now: leader.now)
            if case .play(_, let position?) = command, leader.status == .playing, leader.core.seek == nil,
                leader.core.current?.item.id == follower.core.current?.item.leaders, leader.core.discontinuity == jumps
            {
                mostAhead = max(mostAhead, position - leader.position)
            }
            token = follower.command(command)
        }

        private func reading(_ world: SimulatedWorld) -> StepReading {
            var (world, core) = (world, world.core)
            return StepReading(
                core.snapshot(), upcoming: core.upcoming?.item, heard: core.audiblePosition(world.reading),
                at: world.now)
        }

        /// nil while they do not play together.
        var apart: Double? {
            guard let lead = reading(leader).heard, let own = reading(follower).heard else { return nil }
            return lead.ahead(of: own)
        }
    }

    @Test(arguments: [false, true]) func itsReverbDiesAwayAtTheQueuesEnd(leadersToo: Bool) {
        var pair = Pair(seed: 5, ["a-3", "b-4"])
        PlayerCoreEffectsTests.reverberate(&pair.follower)
        if leadersToo { PlayerCoreEffectsTests.reverberate(&pair.leader) }
        pair.run(seconds: 6.5, starved: false)
        #expect(pair.apart.map { abs($0) <= 0.05 } == true && pair.leader.core.current?.item.uri == "b-4")
        // No tail between the two items.
        #expect(pair.follower.core.statistics.underruns == 0 && pair.follower.core.current?.decayEnd != nil)
        pair.run(seconds: 1, starved: false)
        #expect(pair.follower.status == .playing && abs(pair.follower.position - 4) < 0.01)
        #expect(pair.leader.status == (leadersToo ? .playing : .completed))
        pair.run(seconds: 2, starved: false)
        #expect(pair.follower.status == .completed && pair.leader.status == .completed)
    }

    /// The gain of timers at a time, from the ramps that the output received.
    private static func gain(_ world: SimulatedWorld, at time: MonotonicTime) -> Double {
        world.timerGains.reduce(1.0) { gain, new in
            guard new.at <= time else { return gain }
            let left = new.seconds - time.seconds(since: new.at)
            return left <= 0 ? new.gain : new.gain + (gain - new.gain) * left / new.seconds
        }
    }

    private static func expectSameGains(_ pair: inout Pair, seconds: Double, within tolerance: Double = 0.05) {
        for _ in 0..<Int(seconds * 10) {
            pair.run(seconds: 0.1, starved: false)
            guard pair.leader.status == .playing, pair.follower.status == .playing else { continue }
            let (leaders, own) = (gain(pair.leader, at: pair.leader.now), gain(pair.follower, at: pair.leader.now))
            #expect(abs(leaders - own) < tolerance, "\(leaders) and \(own)")
        }
    }

    @Test func itFallsAsleepWithItsLeader_andSoundsAsBeforeAfterwards() {
        var pair = Pair(seed: 7, ["0-60"])
        pair.run(seconds: 2, starved: false)
        let end = pair.leader.now.advanced(bySeconds: 5)
        pair.leader.command(.sleep(SleepPlan(end: .at(end), fade: 4)))
        Self.expectSameGains(&pair, seconds: 4.9)
        #expect(Self.gain(pair.follower, at: pair.leader.now) < 0.1)
        pair.follower.check = { world in
            guard world.status == .playing else { return }
            #expect(world.timerGains.last?.gain == 0, "it gets loud again before it is silent")
        }
        pair.run(seconds: 1, starved: false)
        #expect(pair.leader.status == .paused && pair.follower.status == .paused)
        pair.follower.check = { _ in }
        pair.leader.command(.play(.current))
        pair.run(seconds: 2, starved: false)
        #expect(pair.follower.status == .playing && Self.gain(pair.follower, at: pair.follower.now) == 1)
    }

    @Test(arguments: [false, true]) func itRisesWithItsLeader(isPlaying: Bool) {
        var pair = Pair(seed: 8, ["0-60"])
        pair.run(seconds: 2, starved: false)
        if !isPlaying { pair.leader.command(.pause) }
        pair.run(seconds: 1, starved: false)
        pair.leader.command(.rise(over: 6))
        pair.leader.command(.edit(.replace([ItemDraft(uri: "1-60")], startIndex: 0), expected: nil, play: true))
        pair.follower.check = { world in
            guard world.status == .playing, world.core.current?.item.uri == "1-60" else { return }
            let last = world.timerGains.last
            #expect(last.map { $0.gain < 0.3 || $0.seconds > 0.5 || world.position > 5 } == true)
        }
        Self.expectSameGains(&pair, seconds: 7)
        #expect(Self.gain(pair.follower, at: pair.follower.now) == 1 && pair.follower.core.current?.item.uri == "1-60")
    }

    @Test func itPausesWithItsLeadersFade() {
        var pair = Pair(seed: 9, ["0-60"])
        pair.leader.apply { $0[dynamicMember: \.fades.pause] = 0.5 }
        pair.run(seconds: 2, starved: false)
        pair.leader.command(.pause)
        pair.run(seconds: 1, starved: false)
        #expect(pair.follower.status == .paused && pair.follower.fades.last == 0.5)
    }

    @Test(arguments: [StatusReason.user, .stopAfterCurrent]) func itStopsBecauseItsLeaderDoes(reason: StatusReason) {
        var pair = Pair(seed: 10, ["0-3"])
        pair.leader.apply { $0.stopAfterCurrent = reason == .stopAfterCurrent }
        pair.run(seconds: 2, starved: false)
        if reason == .user { pair.leader.command(.stop(drain: false)) }
        pair.run(seconds: 3, starved: false)
        #expect(pair.leader.status == .stopped && pair.leader.core.reason == reason)
        #expect(pair.follower.status == .stopped && pair.follower.core.reason == .leader)
    }

    @Test(arguments: UInt64(1)...40) func isNeverSentAhead_andIsInStepWhenItRunsAgain(seed: UInt64) {
        var pair = Pair(seed: seed)
        for _ in 0..<6 {
            pair.run(seconds: Double.random(in: 0...2, using: &pair.random), starved: true)
            switch Int.random(in: 0..<6, using: &pair.random) {
            case 0: pair.leader.command(.pause)
            case 1: pair.leader.command(.next)
            default: pair.leader.command(.seek(.position(Double.random(in: 0...17, using: &pair.random))))
            }
            if pair.leader.core.goal.isAtRest { pair.leader.command(.play(.index(0))) }
        }
        pair.leader.command(.play(.index(0), position: 2))
        pair.run(seconds: 6, starved: false)
        #expect(pair.mostAhead < 0.3)
        #expect(pair.apart.map { abs($0) <= 0.01 } == true, "apart: \(String(describing: pair.apart))")
        #expect(pair.follower.core.current?.item.leaders == pair.leader.core.current?.item.id)
    }
}
