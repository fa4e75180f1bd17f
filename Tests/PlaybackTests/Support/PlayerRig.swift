// SPDX-License-Identifier: Apache-2.0

import Audio
import Playback
import PlaybackTesting
import Synchronization
import Testing
import Kernel
import KernelTesting

/// A complete player with real threads, a scripted opener and a capturing output.
final class PlayerRig: Sendable {
    let clock = ManualClock()
    let opener: ScriptedOpener
    let output: CapturingOutput
    let store: MemoryStore
    let player: Player
    private let log = EventLog()

    init(
        _ scripts: [String: ScriptedOpener.Script] = [:], saved: SavedPlayer = SavedPlayer(),
        ringCapacity: Int = 88_200,
        buffering: DecodeBuffering = DecodeBuffering(), stretching: any TimeStretching = NoStretching()
    ) {
        opener = ScriptedOpener(scripts)
        output = CapturingOutput(clock: clock, ringCapacity: ringCapacity)
        store = MemoryStore(saved)
        player = Player(
            Player.Environment(
                opener: opener, output: output, conversion: NoConversion(), stretching: stretching, store: store,
                clock: clock, buffering: buffering))
        player.observe { [log] event in log.events.withLock { $0.append(event) } }
    }

    deinit { player.shutdown() }

    var received: [PlayerEvent] { log.events.withLock { $0 } }
    /// Without a copy of all events.
    var receivedCount: Int { log.events.withLock { $0.count } }

    @discardableResult
    func perform(
        _ command: PlayerCommand, origin: PlayerCommand.Origin = .client
    ) -> Result<PlayerSnapshot, PlaybackError> {
        let answer = Mailbox<Result<PlayerSnapshot, PlaybackError>>()
        player.perform(command, origin: origin) { answer.post($0) }
        return answer.answer()
    }

    /// Sends a command without waiting for the reply: transport commands are answered when the sink has followed.
    func send(_ command: PlayerCommand) {
        player.perform(command) { _ in }
    }

    func add(_ uris: [String], play: Bool) {
        send(.edit(.insert(uris.map { ItemDraft(uri: $0) }, at: .end), play: play))
    }

    /// Plays the items until the queue has ended, and returns the sound.
    func sound(of uris: [String]) -> [Float] {
        add(uris, play: true)
        #expect(play { $0.player.snapshot.status == .completed })
        return output.captured
    }

    /// Waits for a condition that other threads cause; nothing here depends on the duration.
    func wait(until condition: (PlayerRig) -> Bool) -> Bool { eventually(within: 240) { condition(self) } }

    /// Plays in small steps until the condition holds. The player handles each step before the next one, so no state is
    /// missed however slow its thread is. Time stands while `mayPlay` is false.
    func play(while mayPlay: (PlayerRig) -> Bool = { _ in true }, until condition: (PlayerRig) -> Bool) -> Bool {
        eventually(within: 240) {
            var steps = 0
            while !condition(self) {
                // Limited, because the deadline is checked in between.
                guard steps < 100, mayPlay(self), output.play(441) > 0 else { return false }
                perform(.apply(SettingsPatch()))
                steps += 1
            }
            return true
        }
    }
}

/// A class, so that the player's observer does not retain the rig.
private final class EventLog: Sendable {
    let events = Mutex<[PlayerEvent]>([])
}
