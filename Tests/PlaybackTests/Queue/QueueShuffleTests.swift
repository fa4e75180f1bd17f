// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Playback

@Suite struct QueueShuffleTests {
    let once = Queue.Order(shuffle: true)
    let forever = Queue.Order(repeats: .all, shuffle: true)

    @Test func round_playsEveryItemOnce() throws {
        var fixture = try QueueFixture("abcdefghij", current: "d")
        var heard = ["d"]
        while let letter = fixture.advance(once) { heard.append(letter) }
        #expect(heard.sorted() == "abcdefghij".map(String.init))
        #expect(heard != heard.sorted())
    }

    @Test func successor_staysTheSame_untilCurrentChanges() throws {
        var fixture = try QueueFixture("abcdefghij", current: "d")
        for _ in 0..<30 {
            let first = fixture.queue.successor(forever, using: &fixture.random)
            for _ in 0..<5 { #expect(fixture.queue.successor(forever, using: &fixture.random) == first) }
            #expect(fixture.queue.next(forever, using: &fixture.random) == first)
            fixture.queue.setCurrent(first)
        }
    }

    @Test func repeatAll_playsRoundAfterRound_neverTheSameTwiceInARow() throws {
        var fixture = try QueueFixture("abc", current: "a")
        var heard = ["a"]
        for _ in 0..<299 { heard.append(fixture.advance(forever) ?? "none") }
        for start in stride(from: 0, to: 300, by: 3) {
            #expect(heard[start..<(start + 3)].sorted() == ["a", "b", "c"])
        }
        for (one, two) in zip(heard, heard.dropFirst()) { #expect(one != two) }
    }

    @Test func previous_goesBackThroughWhatWasHeard_andNextForwardAgain() throws {
        var fixture = try QueueFixture("abcdefgh", current: "a")
        var heard = ["a"]
        for _ in 0..<5 { heard.append(fixture.advance(once) ?? "none") }
        for letter in heard.dropLast().reversed() { #expect(fixture.goBack(once) == letter) }
        #expect(fixture.goBack(once) == nil)
        for letter in heard.dropFirst() { #expect(fixture.advance(once) == letter) }
        var rest: [String] = []
        while let letter = fixture.advance(once) { rest.append(letter) }
        #expect((heard + rest).sorted() == "abcdefgh".map(String.init))
    }

    @Test func turningItOff_continuesInQueueOrder() throws {
        var fixture = try QueueFixture("abcdefgh", current: "a")
        _ = fixture.advance(once)
        let index = try #require(fixture.queue.currentIndex)
        let following = index + 1 < 8 ? fixture.queue[index + 1].uri : nil
        #expect(fixture.advance() == following)
    }

    @Test func insertions_joinTheRound_andNextOnesComeFirst() throws {
        var fixture = try QueueFixture("abcd", current: "a")
        var heard = ["a", fixture.advance(once) ?? "none"]
        try fixture.apply(.insert(drafts("xy"), at: .end))
        try fixture.apply(.insert(drafts("12"), at: .next))
        try fixture.apply(.insert(drafts("3"), at: .next))
        for letter in ["1", "2", "3"] { #expect(fixture.advance(once) == letter) }
        while let letter = fixture.advance(once) { heard.append(letter) }
        #expect(heard.sorted() == ["a", "b", "c", "d", "x", "y"])
    }

    @Test func itemsPlayedNow_comeBeforeItemsQueuedAsNext() throws {
        for order in [Queue.Order(), once] {
            var fixture = try QueueFixture("abcd", current: "a")
            _ = fixture.queue.successor(order, using: &fixture.random)
            try fixture.apply(.insert(drafts("12"), at: .next))
            try fixture.apply(.insert(drafts("xy"), at: .now))
            #expect(fixture.letters == "axy12bcd")
            #expect((0..<4).map { _ in fixture.advance(order) } == ["x", "y", "1", "2"])
        }
    }

    @Test func removedItems_leaveTheRound_andComeBackWithUndo() throws {
        var fixture = try QueueFixture("abcdef", current: "a")
        try fixture.apply(.remove([fixture.id("b"), fixture.id("c")]))
        var heard: [String] = []
        while let letter = fixture.advance(once) { heard.append(letter) }
        #expect(heard.sorted() == ["d", "e", "f"])
        try fixture.apply(.undo)
        heard = []
        while let letter = fixture.advance(once) { heard.append(letter) }
        #expect(heard.sorted() == ["b", "c"])
    }

    @Test func itemsTheUserChose_areNotRepeatedInTheRound() throws {
        var fixture = try QueueFixture("abcdef", current: "a")
        _ = fixture.queue.successor(once, using: &fixture.random)
        fixture.queue.setCurrent(fixture.id("e"))
        var heard: [String] = []
        while let letter = fixture.advance(once) { heard.append(letter) }
        #expect(heard.sorted() == ["b", "c", "d", "f"])
    }

    /// SPEC row 253: 1,000 rounds at 190,000 items.
    @Test func undoAndRedoOfALongQueue_keepNothing() throws {
        var fixture = try QueueFixture("a", current: "a")
        try fixture.apply(.insert(letters(190_000), at: .end))
        _ = fixture.queue.successor(once, using: &fixture.random)
        try fixture.apply(.insert(letters(3), at: .next))
        var sizes: Set<Int> = []
        for round in 0..<1_000 {
            try fixture.apply(.undo)
            try fixture.apply(.redo)
            if round % 100 == 99 {
                sizes.insert(try #require(fixture.queue.round).size + fixture.queue.upNext.size)
            }
        }
        #expect(try #require(sizes.max()) <= 2 * (190_004 + ShuffleRound.slack))
    }

    /// Like above with edits of many items: the kept ids do not grow with the rounds.
    @Test(arguments: [QueueEdit.insert(letters(5_000), at: .end), .insert(letters(5_000), at: .next), .clear])
    func undoAndRedo_keepNothing(edit: QueueEdit) throws {
        var fixture = try QueueFixture("a", current: "a")
        try fixture.apply(.insert(letters(5_000), at: .end))
        _ = fixture.queue.successor(once, using: &fixture.random)
        try fixture.apply(edit)
        for _ in 0..<20 {
            try fixture.apply(.undo)
            try fixture.apply(.redo)
        }
        let bound = 2 * 10_001 + ShuffleRound.slack
        #expect(try #require(fixture.queue.round).size <= bound && fixture.queue.upNext.size <= bound)
        try fixture.apply(.undo)
        let others = fixture.queue.count - (fixture.queue.currentID == nil ? 0 : 1)
        var heard: Set<ItemID> = []
        while let id = fixture.queue.next(once, using: &fixture.random), heard.insert(id).inserted {
            fixture.queue.setCurrent(id)
        }
        #expect(heard.count == others && fixture.queue.next(once, using: &fixture.random) == nil)
    }

    @Test func editsThatGoAgain_keepNothing() throws {
        var fixture = try QueueFixture("a", current: "a")
        _ = fixture.queue.successor(once, using: &fixture.random)
        for _ in 0..<200 {
            try fixture.apply(.insert(letters(50), at: .next))
            let next = try #require(fixture.queue.next(once, using: &fixture.random))
            fixture.queue.setCurrent(next)
            try fixture.apply(.remove((0..<fixture.queue.count).map { fixture.queue[$0].id }.filter { $0 != next }))
        }
        #expect(try #require(fixture.queue.round).size <= 2 * (100 + ShuffleRound.slack))
        #expect(fixture.queue.upNext.size <= 100 + ShuffleRound.slack)
    }
}

private func letters(_ count: Int) -> [ItemDraft] { Array(repeating: ItemDraft(uri: "m"), count: count) }
