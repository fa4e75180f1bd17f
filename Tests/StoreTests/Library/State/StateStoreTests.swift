// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import Logging
import Service
import Playback
import Testing

@testable import Store

@Suite struct StateStoreTests {
    let fixture: StateFixture

    init() throws { fixture = try StateFixture() }

    @Test func load_returnsTheSavedState() throws {
        let store = try fixture.store()
        var saved = SavedQueue(store: store)
        let full = ItemDraft(
            uri: "x", title: "T", artist: "A", album: "B", artworkURI: "p", beginTime: 1.5, loops: -1,
            headers: ["k": "v"])
        try saved.apply(.insert(drafts("abc") + [full], at: .end))
        try saved.apply(.move([saved.items[0].id, saved.items[2].id], to: 2))
        try saved.apply(.undo)
        try saved.apply(.redo)
        var settings = PlayerSettings()
        settings.name = "Küche"
        settings.volume = 0.25
        settings.repeats = .all
        settings.previousRestartsAfter = 0
        settings.outputDevice = "usb"
        settings.abLoop = ABLoop(begin: 1, end: 2.5)
        settings.remote.mpris = false
        settings.remote.prefersTags = true
        settings.remote.commands.previous = false
        settings.remote.commands.skip = true
        settings.remote.commands.skipInterval = 15
        let position = SavedPosition(itemID: saved.items[1].id, position: 12.5)
        store.save([.settings(settings), .position(nil), .position(position)]) { _ in }
        #expect(store.flush())
        store.close(within: 600)

        let loaded = try fixture.reloaded()
        #expect(describe(loaded.items) == describe(saved.items))
        #expect(loaded.revision == saved.queue.revision && loaded.nextItemNumber == 5)
        #expect(loaded.settings == settings && loaded.current == position)
    }

    @Test func removedOrMovedFile_isReported_andUsedAgainOnceItIsBack() throws {
        let store = try fixture.store()
        var saved = SavedQueue(store: store)
        try saved.apply(.insert(drafts("a"), at: .end))
        #expect(store.flush())
        let answers = Answers()
        try #require(rename(fixture.path, fixture.path + ".elsewhere") == 0)
        var settings = PlayerSettings()
        settings.volume = 0.5
        store.save([.settings(settings)]) { answers.add($0) }
        #expect(!store.flush())
        #expect(answers.all.count == 1 && "\(answers.all)".contains("removed or moved"))
        try #require(rename(fixture.path + ".elsewhere", fixture.path) == 0)
        settings.volume = 0.25
        store.save([.settings(settings)]) { answers.add($0) }
        #expect(store.flush())
        store.close(within: 600)
        let loaded = try fixture.reloaded()
        #expect(loaded.settings.volume == 0.25 && loaded.items.map(\.uri) == ["a"])
    }

    /// Plain rows are written several at a time, others singly.
    @Test(arguments: [1, 15, 16, 17, 40]) func everyItemOfALongList_isRestored(count: Int) throws {
        let store = try fixture.store()
        var saved = SavedQueue(store: store)
        let source = ItemSource(.folder, id: "f", name: "f")
        let drafts = (0..<count).map { number in
            ItemDraft(
                uri: "\(number)", title: number % 7 == 6 ? "T" : nil, source: number.isMultiple(of: 3) ? source : nil)
        }
        try saved.apply(.insert(drafts, at: .end))
        store.close(within: 600)
        #expect(try fixture.reloaded().items.map(\.draft) == drafts)
    }

    @Test func items_keepTheirSource_whenAnotherDiffersInBytesOnly() throws {
        let store = try fixture.store()
        var saved = SavedQueue(store: store)
        let names = ["\u{E9}", "e\u{301}"]
        try saved.apply(
            .insert(names.map { ItemDraft(uri: "a", source: ItemSource(.folder, id: $0, name: $0)) }, at: .end))
        store.close(within: 600)
        let loaded = try fixture.reloaded().items
        #expect(loaded.compactMap { $0.source.map { Array($0.id.utf8) } } == names.map { Array($0.utf8) })
    }

    @Test func items_keepTheirSource_andShareIt() throws {
        let store = try fixture.store()
        var saved = SavedQueue(store: store)
        let (folder, list) = (ItemSource(.folder, id: "A/\"B", name: "Bö"), ItemSource(.playlist, id: "p1", name: "L"))
        let full = ItemDraft(uri: "x", title: "T", source: list)
        try saved.apply(.insert(drafts("a") + drafts("bc").map { $0.from(folder) } + [full], at: .end))
        #expect(store.flush())
        store.close(within: 600)

        let loaded = try fixture.reloaded().items
        #expect(loaded.map(\.source) == [nil, folder, folder, list])
        #expect(loaded.map(\.draft.source) == loaded.map(\.source))
        #expect(loaded[1].source === loaded[2].source)
        #expect(loaded[1].isPlain && loaded[3].draft.title == "T")
    }

    @Test func load_marksTheFirstItem_untilItWasOpened() throws {
        let store = try fixture.store()
        var saved = SavedQueue(store: store)
        try saved.apply(.insert(drafts("ab"), at: .end))
        store.save([.position(SavedPosition(itemID: saved.items[1].id, position: 3))]) { _ in }
        store.close(within: 600)

        // Each of these processes dies before the item is opened.
        for unopened in [nil, saved.items[1].id, saved.items[1].id] {
            let store = try fixture.store()
            #expect(store.load().unopened == unopened)
            store.close(within: 600)
        }
        let living = try fixture.store()
        _ = living.load()
        living.save([.opened]) { _ in }
        living.close(within: 600)
        #expect(try fixture.reloaded().unopened == nil)
    }

    @Test func randomEdits_areRestored() throws {
        var store = try fixture.store()
        var saved = SavedQueue(store: store)
        for step in 0..<3000 {
            let ids = saved.items.map(\.id).shuffled(using: &saved.random).prefix(
                Int.random(in: 0...4, using: &saved.random))
            let edits: [QueueEdit] = [
                .insert(drafts("xyz"), at: .index(.random(in: 0...saved.queue.count, using: &saved.random))),
                .remove(Array(ids)),
                .move(Array(ids), to: .random(in: 0...(saved.queue.count - ids.count), using: &saved.random)), .shuffle,
            ]
            try saved.apply(edits.randomElement(using: &saved.random)!)
            if saved.queue.canUndo && step % 3 == 0 { try saved.apply(.undo) }
            if saved.queue.canRedo && step % 9 == 0 { try saved.apply(.redo) }
            if step % 500 == 499 {
                store.close(within: 600)
                store = try fixture.store()
                let loaded = store.load()
                try #require(describe(loaded.items) == describe(saved.items))
                saved = SavedQueue(queue: saved.queue, random: saved.random, store: store)
            }
        }
    }

    @Test func insertionsAtOnePlace_surviveAnExhaustedGap() throws {
        let store = try fixture.store()
        var saved = SavedQueue(store: store)
        try saved.apply(.insert(drafts("ab"), at: .end))
        for _ in 0..<100 { try saved.apply(.insert(drafts("i"), at: .index(1))) }
        for _ in 0..<100 { try saved.apply(.move([saved.items[50].id], to: 1)) }
        // Far from both ends some neighbours make room. Moved items come from among them or from elsewhere.
        try saved.apply(.insert(drafts(String(repeating: "n", count: 500)), at: .end))
        for _ in 0..<100 { try saved.apply(.move([saved.items[310].id], to: 300)) }
        for _ in 0..<100 { try saved.apply(.move([saved.items[600].id, saved.items[1].id], to: 400)) }
        store.close(within: 600)
        #expect(try describe(fixture.reloaded().items) == describe(saved.items))
    }

    @Test(arguments: [false, true]) func secondStore_isRefused_untilTheFirstCloses(isLockRemoved: Bool) throws {
        let first = try fixture.store()
        if isLockRemoved { try FileManager.default.removeItem(atPath: fixture.directory + "/state.lock") }
        #expect(throws: StateStoreError.inUse(directory: fixture.directory)) { try fixture.store() }
        first.close(within: 600)
        _ = try fixture.store()
    }

    @Test func save_failsWithASentence_afterClose() throws {
        let store = try fixture.store()
        store.close(within: 600)
        let answers = Answers()
        store.save([.position(nil)]) { answers.add($0) }
        #expect(answers.all == [SaveFailure("the state is closed")])
        #expect(!store.flush())
    }

    @Test func fullDisk_refusesTheChangeThatDoesNotFit_asAWholeAndAlone() throws {
        let store = try StateStore(directory: fixture.directory, logger: Logger(label: "test")) { database in
            try database.execute(sql: "PRAGMA max_page_count = 20")
        }
        var saved = SavedQueue(store: store)
        let answers = Answers()
        try saved.apply(.insert(drafts("keep"), at: .end), answers: answers)
        #expect(store.flush())
        let before = saved.queue
        let long = ItemDraft(uri: String(repeating: "u", count: 200_000))
        try saved.apply(.insert(drafts("x") + [long], at: .end), answers: answers)
        saved.queue = before
        try saved.apply(.insert(drafts("after"), at: .end), answers: answers)
        store.flush()
        #expect(answers.all.map { $0 == nil } == [true, false, true])
        #expect(answers.all[1]?.isDiskFull == true && answers.all[1]?.reason.contains("disk is full") == true)
        try saved.apply(.remove([saved.items[4].id]), answers: answers)
        #expect(store.flush())
        store.close(within: 600)
        let loaded = try fixture.reloaded()
        #expect(describe(loaded.items) == describe(saved.items))
        #expect(loaded.revision == saved.queue.revision)
    }

    @Test func usedUpQuota_isAFullDisk() throws {
        let store = try fixture.store()
        let playlists = try PlaylistStore(directory: fixture.directory, logger: Logger(label: "test"))
        var saved = SavedQueue(store: store)
        let answers = Answers()
        try saved.apply(.insert(drafts("a"), at: .end), answers: answers)
        #expect(store.flush())
        let before = saved.queue
        try UsedUpQuota.with(fixture.path + "-wal") {
            try saved.apply(.insert(drafts("b"), at: .end), answers: answers)
            store.flush()
        }
        #expect(answers.all.last??.isDiskFull == true)
        #expect(answers.all.last??.reason.contains("disk is full") == true)
        saved.queue = before
        try saved.apply(.insert(drafts("c"), at: .end), answers: answers)
        #expect(store.flush(), "there is room again")
        try UsedUpQuota.with(fixture.directory + "/playlists.sqlite-wal") {
            #expect(throws: PlaylistError.diskFull("The playlists cannot be written: the disk is full.")) {
                try playlists.create(name: "x", entries: [])
            }
        }
        #expect(try playlists.create(name: "x", entries: []).length == 0)
    }

    @Test func changeThatDoesNotFit_isRefusedAlone() throws {
        let store = try fixture.store()
        var saved = SavedQueue(store: store)
        try saved.apply(.insert(drafts("ab"), at: .end))
        let answers = Answers()
        let ghost = QueueItem(id: ItemID(number: 77), draft: ItemDraft(uri: "ghost"))
        store.save([.queue(.removed([(index: 9, item: ghost)]), revision: 9, nextItemNumber: 9)]) { answers.add($0) }
        try saved.apply(.insert(drafts("c"), at: .end), answers: answers)
        store.flush()
        #expect(answers.all.first??.reason.contains("could not be saved") == true)
        #expect(answers.all.first??.isDiskFull == false)
        #expect(answers.all.last == .some(nil))
        store.close(within: 600)
        #expect(try describe(fixture.reloaded().items) == describe(saved.items))
    }
}
