// SPDX-License-Identifier: Apache-2.0

import Playback
import PlaybackTesting
import Synchronization
import Testing
import KernelTesting

@Suite(.timeLimit(.minutes(10))) struct EditThreadsTests {
    /// Neither step waits for the player's thread.
    @Test func anEditIsPreparedWhereItComesFrom_andAnsweredWhereItIsSaved() {
        let store = HoldingStore()
        let player = Player(
            Player.Environment(
                opener: ScriptedOpener([:]), output: CapturingOutput(clock: ManualClock()), conversion: NoConversion(),
                stretching: NoStretching(), store: store, clock: MachineClock()))
        defer { player.shutdown() }
        let edit = PlayerCommand.edit(.insert([ItemDraft(uri: "a")], at: .end))
        let answers = Atomic(0)
        var asked = 0
        // If the player's thread is awake, it does both itself. The first edit has another save: the position.
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

/// Replies only when requested.
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
