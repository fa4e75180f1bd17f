// SPDX-License-Identifier: Apache-2.0

import Audio
import PlaybackTesting
import Testing
import Kernel
import KernelTesting

@testable import Playback
@testable import PulseAudioHost

/// A player that follows another one, on two devices of a real PulseAudio. The devices are the sides of one sink, so that one
/// recording has both at the same time.
@Suite(.serialized)
struct InStepTests {
    /// Two players, their devices, and a recording of both: `x` is the leader, `y` the follower.
    final class Pair: Sendable {
        let daemon: PulseDaemon
        let capture: MonitorCapture
        let leader: Player
        let follower: Player
        let link: Follower

        init() throws {
            daemon = try PulseDaemon(sinks: ["both"])
            for (name, side) in [("left", "front-left"), ("right", "front-right")] {
                daemon.pactl(
                    "load-module", "module-remap-sink", "sink_name=\(name)", "master=both", "channels=1",
                    "channel_map=mono", "master_channel_map=\(side)", "remix=no")
            }
            capture = try MonitorCapture(daemon, sink: "both")
            leader = Self.player(daemon, "left")
            follower = Self.player(daemon, "right")
            link = try #require(Follower(follower, of: leader))
            leader.observe { [link] _ in link.somethingChanged() }
            follower.observe { [link] _ in link.somethingChanged() }
        }

        private static let period = 30_000
        /// The samples identify their positions. The item "20" is 20 s long.
        private static func script(seconds: FrameCount) -> ScriptedOpener.Script {
            ScriptedOpener.Script(
                frames: 44_100 * seconds, format: AudioFormat(sampleRate: 44_100, layout: .mono),
                base: 1 / 32_768, step: 1 / 32_768, period: FrameCount(period))
        }

        private static func player(_ daemon: PulseDaemon, _ device: String) -> Player {
            var environment = Player.Environment(
                opener: ScriptedOpener(["20": script(seconds: 20), "30": script(seconds: 30)]),
                output: PulseAudioOutput(server: daemon.server),
                conversion: NoConversion(), stretching: NoStretching(), store: MemoryStore(), clock: MachineClock())
            environment.device = device
            return Player(environment)
        }

        func end() {
            link.stop()
            leader.shutdown()
            follower.shutdown()
            capture.stop()
            daemon.remove()
        }

        /// Waits for a condition that other threads make true.
        func wait(_ what: String, within seconds: Double = 20, _ condition: () -> Bool) throws {
            guard eventually(within: seconds, condition) else {
                throw PulseDaemon.Failure("not in \(seconds) s: \(what); \(follower.snapshot.status)")
            }
        }

        func perform(_ command: PlayerCommand) throws {
            let answers = Mailbox<PlaybackError?>()
            leader.perform(command) { answers.post($0.failure) }
            if let error = answers.answer() { throw error }
        }

        /// The follower's delay in frames, for each frame of the next `seconds` in which neither player is silent or fading.
        func delays(over seconds: Double) throws -> [Int] {
            let frames = try capture.frames(from: capture.count, count: Int(seconds * 44_100), within: seconds + 5)
            return frames.indices.dropFirst().compactMap { index in
                let (now, before) = (frames[index], frames[index - 1])
                guard now.x == before.x + 1, now.y == before.y + 1 else { return nil }
                let apart = Int(now.x) - Int(now.y)
                let period = Self.period
                return (apart % period + period + period / 2) % period - period / 2
            }
        }

        func isInStep() -> Bool {
            link.offset.map { abs($0) <= FollowerCore.tolerance } ?? false && follower.snapshot.status == .playing
        }
    }

    @Test(.realTime) func aFollowerIsHeardWithinFiveMilliseconds_alsoAfterSeekPauseAndTheNextItem() throws {
        let pair = try Pair()
        try pair.perform(
            .edit(.insert([ItemDraft(uri: "20"), ItemDraft(uri: "30")], at: .end), expected: nil, play: true))
        func check(_ what: String) throws {
            try pair.wait(what) { pair.isInStep() }
            let delays = try pair.delays(over: 0.5)
            let apart = delays.sorted()[delays.count / 2]
            #expect(delays.count > 20_000)
            #expect(abs(apart) <= 220, "\(what): \(apart) frames")
        }
        try check("at the start")
        try pair.perform(.seek(.position(15)))
        try pair.wait("out of step") { !pair.isInStep() }
        try check("after a seek")
        try pair.perform(.pause)
        try pair.wait("paused") { pair.follower.snapshot.status == .paused }
        try pair.perform(.play(.current, position: nil))
        try check("after a pause")
        try pair.wait("second item") { pair.leader.snapshot.item?.item.uri == "30" }
        let border = try pair.delays(over: 0.5)
        #expect(border.count > 21_000, "no gap at the border")
        try check("in the second item")
        #expect(pair.follower.snapshot.item?.item.uri == "30")
        try pair.perform(.stop(drain: false))
        try pair.wait("stopped") { pair.follower.snapshot.status == .stopped }
        pair.end()
    }
}
