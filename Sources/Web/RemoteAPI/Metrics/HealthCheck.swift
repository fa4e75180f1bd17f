// SPDX-License-Identifier: Apache-2.0

import Kernel
import Playback
import Service
import Synchronization

/// Whether every player lives and keeps its promise. Pings its thread, since the published state of a thread that hangs
/// looks as good as ever; only when a client asks.
final class HealthCheck: Sendable {
    typealias Answer = @Sendable (_ trouble: String?) -> Void

    /// Seconds that the player's thread has to answer.
    static let patience = 2.0

    private let players: @Sendable () -> [(id: String, control: any PlayerControl)]
    private let clock: any PlayerClock
    private let patience: Double
    /// By the players' ids.
    private let watches = Mutex<[String: PlaybackWatch]>([:])
    /// Clients that ask during a look share its answer.
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

    /// `answer` comes from another thread, within the patience: a sentence when something is wrong.
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
        // One that was just removed does not answer either; main stays.
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

/// Looks whether the player keeps its promise: `playing` means that sound advances. A pure value.
struct PlaybackWatch {
    /// A position that stands for this long while `playing` is a failure.
    static let patience = 2.0
    /// Behind the end of an item its effects die away: 5.5 s at most.
    static let longestTail = 6.0

    private var itemID: ItemID?
    private var position = 0.0
    private var discontinuity: UInt64 = 0
    private var since: MonotonicTime?

    /// A sentence when something is wrong; nil when all is well.
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
