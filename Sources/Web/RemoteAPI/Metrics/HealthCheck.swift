// SPDX-License-Identifier: Apache-2.0

import Kernel
import Playback
import Service
import Synchronization

/// Whether every player is alive, and advances while `playing`. On request only, it pings the players' threads, as the
/// published state of a thread that hangs looks normal.
final class HealthCheck: Sendable {
    typealias Answer = @Sendable (_ trouble: String?) -> Void

    /// Seconds within which the player's thread must answer.
    static let patience = 2.0

    private let players: @Sendable () -> [(id: String, control: any PlayerControl)]
    private let clock: any PlayerClock
    private let patience: Double
    /// By player id.
    private let watches = Mutex<[String: PlaybackWatch]>([:])
    /// Requests during a check share its answer.
    private let waiting = Mutex<[Answer]>([])
    /// Waits for the answers to the pings.
    private let worker = SupervisedWorker("health", seconds: nil)

    init(
        clock: any PlayerClock, patience: Double = HealthCheck.patience,
        players: @escaping @Sendable () -> [(id: String, control: any PlayerControl)]
    ) {
        self.clock = clock
        self.patience = patience
        self.players = players
    }

    /// `answer` is called from another thread, within `patience`, with a sentence about the failure or nil.
    func look(_ answer: @escaping Answer) {
        let isFirst = waiting.withLock { waiting in
            waiting.append(answer)
            return waiting.count == 1
        }
        guard isFirst else { return }
        if !worker.submit({ [self] in examine() }) { answerAll("The server is going down.") }
    }

    func stop() { worker.stop() }

    private func examine() {
        let players = players()
        let answers = Mailbox<String>()
        var silent: Set<String> = []
        for (id, player) in players where player.ping({ answers.post(id) }) { silent.insert(id) }
        // A player that was just removed does not answer either; main always exists.
        guard players.first.map({ silent.contains($0.id) }) ?? false else {
            return answerAll("The player is going down.")
        }
        let deadline = MonotonicTime.now.advanced(bySeconds: patience)
        while !silent.isEmpty {
            let given = answers.take(until: deadline)
            if given.isEmpty { break }
            silent.subtract(given)
        }
        if let id = silent.min() { return answerAll("The thread of player \(id) has not answered for \(patience) s.") }
        let now = clock.now
        let troubles = watches.withLock { watches in
            watches = watches.filter { watch in players.contains { $0.id == watch.key } }
            return players.compactMap { id, player in
                watches[id, default: PlaybackWatch()].look(player.snapshot, now: now).map { "Player \(id): \($0)" }
            }
        }
        answerAll(troubles.first)
    }

    private func answerAll(_ trouble: String?) {
        let answers = waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
        for answer in answers { answer(trouble) }
    }
}

/// Checks that sound advances while the status is `playing`. A pure value.
struct PlaybackWatch {
    /// Seconds without a change of the position while `playing` that count as a failure.
    static let patience = 2.0
    /// After the end of an item its effects decay: 5.5 s at most.
    static let longestTail = 6.0

    private var itemID: ItemID?
    private var position = 0.0
    private var discontinuity: UInt64 = 0
    private var since: MonotonicTime?

    /// A sentence about the failure; nil if there is none.
    mutating func look(_ snapshot: PlayerSnapshot, now: MonotonicTime) -> String? {
        guard snapshot.status == .playing else {
            since = nil
            return nil
        }
        if case .unavailable(let message) = snapshot.output.availability {
            return "The status is playing, but the output is unavailable: \(message)"
        }
        let position = snapshot.clock.position(at: now)
        let stands =
            position == self.position && itemID == snapshot.item?.item.id
            && discontinuity == snapshot.clock.discontinuity
        guard stands, let since else {
            self.position = position
            itemID = snapshot.item?.item.id
            discontinuity = snapshot.clock.discontinuity
            since = now
            return nil
        }
        let seconds = now.seconds(since: since)
        let isAtEnd = snapshot.clock.duration.map { position >= $0 } ?? false
        guard seconds >= Self.patience + (isAtEnd ? Self.longestTail : 0) else { return nil }
        return "The status is playing, but the position has not moved for \(Int(clamping: seconds)) s."
    }
}
