// SPDX-License-Identifier: Apache-2.0

import Kernel

@testable import Playback

/// A queue with its random generator. Its items are named by their URIs, single letters.
struct QueueFixture {
    var queue = Queue()
    var random = SeededGenerator(seed: 7)

    init(_ letters: String = "", current: Character? = nil) throws {
        if !letters.isEmpty { try apply(.insert(drafts(letters), at: .end)) }
        if let current { queue.setCurrent(id(current)) }
    }

    var letters: String { (0..<queue.count).map { queue[$0].uri }.joined() }

    func id(_ letter: Character) -> ItemID {
        for index in 0..<queue.count where queue[index].uri == String(letter) { return queue[index].id }
        return ItemID(number: .max)
    }

    func letter(_ id: ItemID?) -> String? { id.flatMap { queue.item($0)?.uri } }

    @discardableResult
    mutating func apply(_ edit: QueueEdit) throws(PlaybackError) -> QueueChange? {
        guard let proposal = try queue.propose(edit, using: &random) else { return nil }
        queue.commit(proposal)
        return proposal.change
    }

    /// Goes to the next item and returns its letter.
    mutating func advance(_ order: Queue.Order = .init()) -> String? {
        let id = queue.next(order, using: &random)
        if let id { queue.setCurrent(id) }
        return letter(id)
    }

    mutating func goBack(_ order: Queue.Order = .init()) -> String? {
        let id = queue.previous(order)
        if let id { queue.setCurrent(id) }
        return letter(id)
    }
}

func drafts(_ letters: String) -> [ItemDraft] { letters.map { ItemDraft(uri: String($0)) } }
