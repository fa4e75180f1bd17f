// SPDX-License-Identifier: Apache-2.0

import Playback
import Synchronization

/// The saved states of several players, as of any of their saves.
final class ScriptedDisk: Sendable {
    typealias Save = (player: String, changes: [SavedChange])

    enum Answer {
        case kept
        case refused
        /// No answer.
        case hangs
    }

    /// A closure that is read from a mutex by itself is wrapped once more by each read, until the stack overflows.
    private struct Rule {
        let answer: @Sendable (Save) -> Answer
    }

    private let saves: Mutex<[Save]>
    private let rule = Mutex(Rule { _ in .kept })
    private let start: [String: SavedPlayer]

    /// `players`: the initial states.
    init(_ players: [String: SavedPlayer] = [:]) {
        start = players
        saves = Mutex([])
    }

    var count: Int { saves.withLock { $0.count } }

    func store(_ player: String) -> any PlayerStore { Store(disk: self, player: player) }
    func notes(_ player: String) -> [String: String] { start[player]?.notes ?? [:] }

    /// The answer to later saves.
    func answers(_ answer: @escaping @Sendable (Save) -> Answer) { rule.withLock { $0 = Rule(answer: answer) } }

    /// A disk with only the first saves of this one, as after a crash.
    func after(_ count: Int) -> ScriptedDisk {
        var players = start
        for save in saves.withLock({ $0.prefix(count) }) {
            for change in save.changes { players[save.player, default: SavedPlayer()].apply(change) }
        }
        return ScriptedDisk(players)
    }

    private struct Store: PlayerStore {
        let disk: ScriptedDisk
        let player: String

        func load() -> SavedPlayer { disk.start[player] ?? SavedPlayer() }

        func save(_ changes: [SavedChange], completion: @escaping @Sendable (_ failure: SaveFailure?) -> Void) {
            switch disk.rule.withLock({ $0 }).answer((player, changes)) {
            case .kept:
                disk.saves.withLock { $0.append((player, changes)) }
                completion(nil)
            case .refused: completion(SaveFailure("the disk does not answer"))
            case .hangs: break
            }
        }
    }
}

extension SavedPlayer {
    fileprivate mutating func apply(_ change: SavedChange) {
        switch change {
        case .queue(let change, let revision, let next):
            apply(change)
            (self.revision, nextItemNumber) = (revision, next)
        case .settings(let new): settings = new
        case .position(let new): current = new
        case .note(let name, let text): notes[name] = text
        case .opening, .opened: break
        }
    }

    private mutating func apply(_ change: QueueChange) {
        switch change {
        case .inserted(let new, let index): items.insert(contentsOf: new, at: index)
        case .removed(let entries): for entry in entries.reversed() { items.remove(at: entry.index) }
        case .restored(let entries): for entry in entries { items.insert(entry.item, at: entry.index) }
        case .replaced(_, let new): items = Array(new)
        case .updated(_, let new): items = items.map { $0.id == new.id ? new : $0 }
        case .moved, .reordered: preconditionFailure("no test moves items")
        }
    }
}
