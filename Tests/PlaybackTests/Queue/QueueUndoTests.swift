// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Playback

@Suite struct QueueUndoTests {
    @Test func undoAndRedo_restoreOrderAndIDs() throws {
        var fixture = try QueueFixture("abcdef")
        let ids = fixture.queue.order
        try fixture.apply(.remove([ids[1], ids[4]]))
        try fixture.apply(.replace(drafts("xyz"), startIndex: 1))
        let replaced = fixture.queue.order
        try fixture.apply(.clear)
        #expect(fixture.queue.count == 0)
        try fixture.apply(.undo)
        #expect(fixture.queue.order == replaced)
        try fixture.apply(.undo)
        try fixture.apply(.undo)
        #expect(fixture.queue.order == ids)
        #expect(fixture.queue.revision == 7)
        for _ in 0..<3 { try fixture.apply(.redo) }
        #expect(fixture.queue.count == 0)
        #expect(throws: QueueError.nothingToRedo) { try fixture.apply(.redo) }
    }

    @Test func undo_isRefused_whenThereIsNothing() throws {
        var fixture = try QueueFixture()
        #expect(throws: QueueError.nothingToUndo) { try fixture.apply(.undo) }
        #expect(!fixture.queue.canUndo)
    }

    @Test func redo_isGone_afterANewEdit() throws {
        var fixture = try QueueFixture("ab")
        try fixture.apply(.undo)
        try fixture.apply(.insert(drafts("c"), at: .end))
        #expect(!fixture.queue.canRedo)
        #expect(fixture.queue.current == nil)
        #expect(fixture.queue[0].id == ItemID(number: 3))
    }

    @Test func history_isBoundedInNumberAndWeight() throws {
        var fixture = try QueueFixture()
        for _ in 0..<150 { try fixture.apply(.insert(drafts("a"), at: .end)) }
        #expect(fixture.queue.undoHistory.undoable.count == 100)
        let many = Array(repeating: ItemDraft(uri: "m"), count: 150_000)
        try fixture.apply(.insert(many, at: .end))
        #expect(fixture.queue.undoHistory.undoable.count == 100)
        try fixture.apply(.insert(many, at: .end))
        #expect(fixture.queue.undoHistory.undoable.count == 1)
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
