// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Playback

/// SplitMix64: the same numbers in every run.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

/// A queue with its generator, spoken of by the letters of its items' URIs.
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
    mutating func apply(_ edit: QueueEdit) throws(QueueError) -> QueueChange? {
        try queue.apply(edit, using: &random)
    }

    /// Goes to what follows and returns its letter.
    mutating func advance(_ order: Queue.Order = .init()) -> String? {
        let id = queue.next(order, using: &random)
        if let id { queue.setCurrent(id) }
        return letter(id)
    }

    mutating func goBack(_ order: Queue.Order = .init()) -> String? {
        let id = queue.previous(order, using: &random)
        if let id { queue.setCurrent(id) }
        return letter(id)
    }
}

func drafts(_ letters: String) -> [ItemDraft] { letters.map { ItemDraft(uri: String($0)) } }
