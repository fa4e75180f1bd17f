// SPDX-License-Identifier: Apache-2.0

import Audio
import Playback
import PlaybackTesting
import Synchronization
import Kernel
import KernelTesting

/// A whole player with real threads between a scripted opener and a capturing output.
final class PlayerRig: Sendable {
    let clock = ManualClock()
    let opener: ScriptedOpener
    let output: CapturingOutput
    let store: MemoryStore
    let player: Player
    private let events = EventLog()

    init(
        _ scripts: [String: ScriptedOpener.Script] = [:], saved: SavedPlayer = SavedPlayer(),
        ringCapacity: Int = 88_200,
        buffering: DecodeBuffering = DecodeBuffering(), stretching: any TimeStretching = NoStretching()
    ) {
        opener = ScriptedOpener(scripts)
        output = CapturingOutput(clock: clock, ringCapacity: ringCapacity)
        store = MemoryStore(saved)
        var environment = Player.Environment(
            opener: opener, output: output, conversion: NoConversion(), store: store, clock: clock,
            buffering: buffering)
        environment.stretching = stretching
        player = Player(environment)
        player.observe { [events] in events.append($0) }
    }

    deinit { player.shutdown() }

    var received: [PlayerEvent] { events.all }
    /// Without the copy of all events, which the next one would have to be added to.
    var receivedCount: Int { events.count }

    @discardableResult
    func perform(_ command: PlayerCommand) -> Result<PlayerSnapshot, PlaybackError> {
        let answer = Mailbox<Result<PlayerSnapshot, PlaybackError>>()
        player.perform(command) { answer.post($0) }
        return answer.answer()
    }

    /// Sends without waiting for the answer: transport commands are answered when the sink has followed.
    func send(_ command: PlayerCommand) {
        player.perform(command) { _ in }
    }

    func add(_ uris: [String], play: Bool) {
        send(.edit(.insert(uris.map { ItemDraft(uri: $0) }, at: .end), expected: nil, play: play))
    }

    /// Waits for something that other threads bring about; nothing here depends on how long it takes.
    func wait(until condition: (PlayerRig) -> Bool) -> Bool { eventually(within: 240) { condition(self) } }

    /// Plays in small steps until the condition holds. The player takes in each step before the next one, so that none of
    /// its states is missed however slow its thread is. Time stands while `mayPlay` is false.
    func play(while mayPlay: (PlayerRig) -> Bool = { _ in true }, until condition: (PlayerRig) -> Bool) -> Bool {
        eventually(within: 240) {
            var steps = 0
            while !condition(self) {
                // Not more at once: the deadline is checked between them.
                guard steps < 100, mayPlay(self), output.play(441) > 0 else { return false }
                perform(.apply(SettingsPatch()))
                steps += 1
            }
            return true
        }
    }
}

private final class EventLog: Sendable {
    private let events = Mutex<[PlayerEvent]>([])

    var all: [PlayerEvent] { events.withLock { $0 } }
    var count: Int { events.withLock { $0.count } }

    func append(_ event: PlayerEvent) {
        events.withLock { $0.append(event) }
    }
}
