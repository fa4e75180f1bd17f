// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Playback

@Suite struct QueueUndoTests {
    @Test func redo_isGone_afterANewEdit() throws {
        var fixture = try QueueFixture("ab")
        try fixture.apply(.undo)
        try fixture.apply(.insert(drafts("c"), at: .end))
        #expect(!fixture.queue.canRedo)
        #expect(fixture.queue.current == nil)
        #expect(fixture.queue[0].id == ItemID(number: 3))
    }

    @Test func history_isBoundedInNumberAndBytes() throws {
        var fixture = try QueueFixture()
        for _ in 0..<150 { try fixture.apply(.insert(drafts("a"), at: .end)) }
        #expect(fixture.queue.undoHistory.undoable.count == 100)
        let fat = Array(repeating: ItemDraft(uri: "m", title: String(repeating: "t", count: 100_000)), count: 300)
        try fixture.apply(.insert(fat, at: .end))
        #expect(fixture.queue.undoHistory.undoable.count == 100)
        for _ in 0..<12 { try fixture.apply(.replace(fat, startIndex: nil)) }
        // The newest edit, with the queue before and after it.
        #expect(fixture.queue.undoHistory.undoable.count == 1)
        try fixture.apply(.undo)
        #expect(fixture.queue.count == 300)
    }

    /// An unlimited queue would make the newest edit, which always stays, unlimited as well.
    @Test func queue_isBoundedInBytes_andARefusedEditChangesNothing() throws {
        var fixture = try QueueFixture("ab")
        let megabyte = ItemDraft(uri: "m", headers: ["X": String(repeating: "h", count: 1 << 20)])
        try fixture.apply(.insert(Array(repeating: megabyte, count: 60), at: .end))
        let refusal = PlaybackError.itemsTooLarge
        #expect(throws: refusal) { try fixture.apply(.insert([megabyte, megabyte, megabyte, megabyte], at: .next)) }
        #expect(throws: refusal) { try fixture.apply(.replace(Array(repeating: megabyte, count: 64), startIndex: nil)) }
        var patch = ItemPatch()
        patch.title = String(repeating: "t", count: 5 << 20)
        #expect(throws: refusal) { try fixture.apply(.update(fixture.id("a"), patch)) }
        #expect(fixture.queue.count == 62 && fixture.queue.revision == 2)
        try fixture.apply(.remove([fixture.queue[61].id]))
        patch.title = "new"
        try fixture.apply(.update(fixture.queue[2].id, patch))
        for _ in 0..<3 { try fixture.apply(.undo) }
        #expect(fixture.queue.contents.bytes == 2 * (ItemDraft.overhead + 1))
        for _ in 0..<3 { try fixture.apply(.redo) }
        try fixture.apply(.insert([megabyte], at: .end))
        #expect(fixture.queue.contents.bytes > 60 << 20)
    }

    /// An item takes more memory than its text.
    @Test func tinyItems_areBoundedInBytes() throws {
        var fixture = try QueueFixture("a")
        let tiny = Array(repeating: ItemDraft(uri: "m"), count: (64 << 20) / ItemDraft.overhead)
        #expect(throws: PlaybackError.itemsTooLarge) { try fixture.apply(.insert(tiny, at: .end)) }
        #expect(fixture.queue.count == 1)
    }

    /// Other players share the budgets.
    @Test func otherQueuesShareTheBudget() throws {
        var fixture = try QueueFixture("ab")
        fixture.queue.byteLimit = 1_000
        #expect(throws: PlaybackError.itemsTooLarge) { try fixture.apply(.insert(drafts("abcdefgh"), at: .end)) }
        fixture.queue.undoHistory.byteLimit = 1
        try fixture.apply(.insert(drafts("c"), at: .end))
        #expect(fixture.queue.undoHistory.undoable.count == 1)
        fixture.queue.undoHistory.byteLimit = 0
        try fixture.apply(.insert(drafts("d"), at: .end))
        #expect(!fixture.queue.canUndo && fixture.queue.count == 4)
    }

    @Test func undoOfAReplacement_continuesWhereItWas() throws {
        var fixture = try QueueFixture("abcd", current: "c")
        try fixture.apply(.replace(drafts("xy"), startIndex: 1))
        #expect(fixture.queue.currentID == nil)
        #expect(fixture.letter(fixture.queue.next(.init(), using: &fixture.random)) == "y")
        try fixture.apply(.undo)
        #expect(fixture.advance() == "c")
    }
}
