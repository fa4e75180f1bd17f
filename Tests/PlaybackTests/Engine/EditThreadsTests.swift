// SPDX-License-Identifier: Apache-2.0

import Playback
import PlaybackTesting
import Synchronization
import Testing
import KernelTesting

@Suite(.timeLimit(.minutes(10))) struct EditThreadsTests {
    /// Neither waits for the player's thread to wake up.
    @Test func anEditIsPreparedWhereItComesFrom_andAnsweredWhereItIsSaved() {
        let store = HoldingStore()
        let player = Player(
            Player.Environment(
                opener: ScriptedOpener([:]), output: CapturingOutput(clock: ManualClock()), conversion: NoConversion(),
                store: store, clock: MachineClock()))
        defer { player.shutdown() }
        let edit = PlayerCommand.edit(.insert([ItemDraft(uri: "a")], at: .end), expected: nil, play: false)
        let answers = Atomic(0)
        var asked = 0
        // While the player's thread is awake itself, it does both. The first edit has another save: that of the place.
        let isInPlace = (0..<50).contains { _ in
            let held = store.count
            player.perform(edit) { result in
                if case .success = result { answers.add(1, ordering: .relaxed) }
            }
            asked += 1
            let isPrepared = store.count > held
            store.answerAll()
            let isAnswered = answers.load(ordering: .relaxed) == asked
            return eventually {
                store.answerAll()
                return answers.load(ordering: .relaxed) == asked
            } && isPrepared && isAnswered
        }
        #expect(isInPlace)
        #expect(player.snapshot.queueLength == asked)
    }
}

/// Answers when it is asked to.
private final class HoldingStore: PlayerStore {
    private let held = Mutex<[@Sendable (SaveFailure?) -> Void]>([])

    var count: Int { held.withLock { $0.count } }

    func load() -> SavedPlayer { SavedPlayer() }

    func save(_ changes: [SavedChange], completion: @escaping @Sendable (_ failure: SaveFailure?) -> Void) {
        held.withLock { $0.append(completion) }
    }

    func answerAll() {
        let all = held.withLock { held in
            defer { held = [] }
            return held
        }
        for completion in all { completion(nil) }
    }
}
