// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Playback

@Suite struct QueueEditingTests {
    @Test func insert_goesToIndexNextAndEnd() throws {
        var fixture = try QueueFixture("abc", current: "a")
        try fixture.apply(.insert(drafts("x"), at: .index(0)))
        try fixture.apply(.insert(drafts("yz"), at: .next))
        try fixture.apply(.insert(drafts("e"), at: .end))
        #expect(fixture.letters == "xayzbce")
        #expect(fixture.queue.currentIndex == 1)
        #expect(fixture.queue.revision == 4)
    }

    @Test func surround_isOneChange_andTheCurrentItemStays() throws {
        var fixture = try QueueFixture("abc", current: "b")
        let revision = fixture.queue.revision
        try fixture.apply(.surround(fixture.id("b"), before: drafts("xy"), after: drafts("z")))
        #expect(fixture.letters == "xybz" && fixture.queue.currentIndex == 2)
        #expect(fixture.queue.revision == revision + 1)
        try fixture.apply(.undo)
        #expect(fixture.letters == "abc" && fixture.queue.currentIndex == 1)
        try fixture.apply(.redo)
        #expect(fixture.letters == "xybz" && fixture.queue.currentIndex == 2)
        let ghost = ItemID(number: 99)
        #expect(throws: PlaybackError.unknownItem(ghost)) {
            try fixture.apply(.surround(ghost, before: [], after: []))
        }
    }

    @Test func consecutiveNextInsertions_followOneAnother_untilCurrentChanges() throws {
        var fixture = try QueueFixture("abc", current: "a")
        try fixture.apply(.insert(drafts("12"), at: .next))
        try fixture.apply(.insert(drafts("3"), at: .next))
        #expect(fixture.letters == "a123bc")
        #expect(fixture.advance() == "1")
        try fixture.apply(.insert(drafts("4"), at: .next))
        #expect(fixture.letters == "a1423bc")
    }

    @Test func move_placesTheFirstAtThePosition_inQueueOrder() throws {
        var fixture = try QueueFixture("abcdef", current: "c")
        let ids = "eba".map { fixture.id($0) }
        try fixture.apply(.move(ids + ids, to: 2))
        #expect(fixture.letters == "cdabef")
        #expect(fixture.queue.currentIndex == 0)
        try fixture.apply(.undo)
        #expect(fixture.letters == "abcdef")
        #expect(fixture.queue.currentIndex == 2)
    }

    @Test func edits_changeNothing_whenTheyFail() throws {
        var fixture = try QueueFixture("abc", current: "b")
        let ghost = ItemID(number: 99)
        #expect(throws: PlaybackError.unknownItem(ghost)) { try fixture.apply(.remove([fixture.id("a"), ghost])) }
        #expect(throws: PlaybackError.unknownItem(ghost)) { try fixture.apply(.move([ghost], to: 0)) }
        #expect(throws: PlaybackError.unknownItem(ghost)) { try fixture.apply(.update(ghost, ItemPatch())) }
        #expect(throws: PlaybackError.positionOutOfRange(3, length: 3)) {
            try fixture.apply(.move([fixture.id("a")], to: 3))
        }
        for index in [-1, 4] {
            #expect(throws: PlaybackError.positionOutOfRange(index, length: 3)) {
                try fixture.apply(.insert(drafts("x"), at: .index(index)))
            }
        }
        #expect(throws: PlaybackError.positionOutOfRange(2, length: 2)) {
            try fixture.apply(.replace(drafts("xy"), startIndex: 2))
        }
        let tooMany = Array(repeating: ItemDraft(uri: "x"), count: Queue.maximumLength - 2)
        #expect(throws: PlaybackError.queueFull) {
            try fixture.apply(.insert(tooMany, at: .end))
        }
        #expect(fixture.letters == "abc")
        #expect(fixture.queue.revision == 1)
        #expect(fixture.queue.nextItemNumber == 4)
    }

    @Test func edits_keepTheRevision_whenTheyChangeNothing() throws {
        var fixture = try QueueFixture("abc", current: "a")
        for edit in [
            QueueEdit.insert([], at: .next), .remove([]), .move([], to: 0), .move([fixture.id("b")], to: 1),
            .update(fixture.id("a"), ItemPatch()),
        ] {
            #expect(try fixture.apply(edit) == nil)
        }
        #expect(fixture.queue.revision == 1)
    }

    @Test func update_keepsTheID() throws {
        var fixture = try QueueFixture("abc")
        var patch = ItemPatch()
        patch.title = "Title"
        patch.loops = 2
        let id = fixture.id("b")
        try fixture.apply(.update(id, patch))
        #expect(fixture.queue.item(id)?.draft.title == "Title")
        #expect(fixture.queue.item(id)?.loops == 2)
        try fixture.apply(.undo)
        #expect(fixture.queue.item(id)?.draft == ItemDraft(uri: "b"))
    }

    @Test func window_isClamped() throws {
        let fixture = try QueueFixture("abc", current: "b")
        #expect(fixture.queue.window(offset: 1, limit: .max).items.map(\.uri) == ["b", "c"])
        #expect(fixture.queue.window(offset: 9, limit: 5).items.isEmpty)
        #expect(fixture.queue.window(offset: -3, limit: -1).items.isEmpty)
    }

    @Test func init_takesTheFirst_ofItemsWithTheSameID() {
        let items = [("a", 5), ("b", 2), ("c", 5)].map {
            QueueItem(id: ItemID(number: UInt64($0.1)), draft: ItemDraft(uri: $0.0))
        }
        let queue = Queue(items: items, revision: 8, nextItemNumber: 1, currentID: ItemID(number: 2))
        #expect(queue.window(offset: 0, limit: 9).items.map(\.uri) == ["a", "b"])
        #expect(queue.nextItemNumber == 6)
        #expect(queue.currentIndex == 1)
    }
}
