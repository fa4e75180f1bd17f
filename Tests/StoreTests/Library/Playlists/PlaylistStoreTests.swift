// SPDX-License-Identifier: Apache-2.0

import Service
import Foundation
import GRDB
import Logging
import Testing

@testable import Store

@Suite struct PlaylistStoreTests {
    let fixture: StateFixture

    init() throws { fixture = try StateFixture() }

    private func store() throws -> PlaylistStore {
        try PlaylistStore(directory: fixture.directory, logger: Logger(label: "test"))
    }

    /// A store with one list of these entries.
    private func filled(_ uris: String...) throws -> (store: PlaylistStore, list: Playlist) {
        let store = try store()
        return (store, try store.create(name: "x", entries: uris.map { PlaylistEntry(uri: $0) }))
    }

    @Test func list_isKept() throws {
        let entries = [PlaylistEntry(uri: "a.mp3", title: "A"), PlaylistEntry(uri: "b.mp3")]
        let made = try store().create(name: "Evening", entries: entries)
        let store = try store()
        #expect(try store.playlists() == [made])
        #expect(try store.playlist(made.id, offset: 0, limit: .max).entries == entries)
        #expect(made.length == 2 && made.revision == 1)
    }

    @Test func change_replacesAppendsAndRenames() throws {
        let (store, list) = try filled("1")
        let id = list.id
        #expect(try store.change(id, name: nil, entries: .append([PlaylistEntry(uri: "2")]), expected: [1]).length == 2)
        #expect(try store.change(id, name: "y", entries: nil, expected: [1, 2]).name == "y")
        #expect(try store.playlist(id, offset: 0, limit: .max).entries.map(\.uri) == ["1", "2"])
        #expect(try store.change(id, name: nil, entries: .replace([]), expected: nil).length == 0)
        #expect(throws: PlaylistError.revisionMismatch(current: 4)) {
            try store.change(id, name: "z", entries: nil, expected: [1, 9])
        }
        #expect(try store.playlist(id, offset: 0, limit: .max).list.name == "y")
    }

    @Test func removedList_isUnknown_andItsIDIsNotGivenAgain() throws {
        let (store, list) = try filled("1")
        let id = list.id
        try store.remove(id, expected: nil)
        #expect(throws: PlaylistError.unknown) { try store.playlist(id, offset: 0, limit: .max) }
        #expect(try store.create(name: "y", entries: []).id != id)
    }

    /// The next start returns the space of removed lists to the disk.
    @Test func fileShrinks_afterListsAreRemoved() throws {
        func size() throws -> Int {
            let facts = try FileManager.default.attributesOfItem(atPath: fixture.directory + "/playlists.sqlite")
            return try #require(facts[.size] as? Int)
        }
        let kept: Playlist
        do {
            let store = try store()
            let entry = PlaylistEntry(uri: String(repeating: "u", count: 8_000))
            let large = try (0..<2).map {
                try store.create(name: "\($0)", entries: .init(repeating: entry, count: 2_000)).id
            }
            kept = try store.create(name: "kept", entries: [PlaylistEntry(uri: "a.mp3")])
            for id in large { try store.remove(id, expected: nil) }
            store.close()
        }
        #expect(try size() > FreePages.kept * 4_096)
        #expect(try store().playlists() == [kept])
        #expect(try size() < 1 << 20)
    }

    @Test func tooLongList_isRefusedWhole() throws {
        let (store, list) = try filled("1")
        let id = list.id
        let many = Array(repeating: PlaylistEntry(uri: "1"), count: PlaylistStore.maximumEntries)
        #expect(throws: PlaylistError.full(maximum: PlaylistStore.maximumEntries)) {
            try store.change(id, name: nil, entries: .append(many), expected: nil)
        }
        #expect(try store.playlist(id, offset: 0, limit: .max).list.length == 1)
    }

    @Test func listBeyondItsBytes_isRefusedWhole() throws {
        let store = try store()
        let full = Array(repeating: PlaylistEntry(uri: "1", title: String(repeating: "é", count: 50_000)), count: 160)
        let (many, few) = (Array(full.prefix(100)), Array(full.prefix(60)))
        let id = try store.create(name: "x", entries: many).id
        #expect(throws: PlaylistError.tooLarge(megabytes: 16)) {
            try store.change(id, name: nil, entries: .append(many), expected: nil)
        }
        #expect(throws: PlaylistError.tooLarge(megabytes: 16)) { try store.create(name: "y", entries: many + many) }
        #expect(try store.playlist(id, offset: 0, limit: 1).list.length == 100 && store.playlists().count == 1)
        #expect(try store.change(id, name: nil, entries: .append(few), expected: nil).length == 160)
        #expect(throws: PlaylistError.tooLarge(megabytes: 16)) {
            try store.change(id, name: nil, entries: .append(few), expected: nil)
        }
        #expect(try store.change(id, name: nil, entries: .replace(many), expected: nil).length == 100)
        #expect(try store.change(id, name: nil, entries: .append(few), expected: nil).length == 160)
    }

    @Test func listsAreRead_whileNothingCanBeWritten() throws {
        let (store, made) = try filled("1")
        let other = try DatabaseQueue(path: fixture.directory + "/playlists.sqlite")
        try other.writeWithoutTransaction { database in
            // Locks out other writers.
            try database.execute(sql: "BEGIN IMMEDIATE")
            #expect(try store.playlists() == [made])
            #expect(try store.playlist(made.id, offset: 0, limit: .max).entries.count == 1)
            let error = #expect(throws: PlaylistError.self) { try store.remove(made.id, expected: nil) }
            guard case .notSaved? = error else { return #expect(Bool(false)) }
            try database.execute(sql: "ROLLBACK")
        }
    }

    @Test func closedStore_leavesOneFile_andIsUnreadable() throws {
        let store = try filled().store
        store.close()
        #expect(try fixture.files.filter { $0.hasPrefix("playlists") } == ["playlists.sqlite"])
        let error = #expect(throws: PlaylistError.self) { try store.playlists() }
        guard case .unreadable? = error else { return #expect(Bool(false)) }
        #expect(try self.store().playlists().count == 1)
    }

    @Test func changeOfAFileThatWasRemoved_isRefused() throws {
        let store = try store()
        try FileManager.default.removeItem(atPath: fixture.directory + "/playlists.sqlite")
        let error = #expect(throws: PlaylistError.self) { try store.create(name: "x", entries: []) }
        #expect("\(String(describing: error))".contains("removed or moved"))
        #expect(try store.playlists().isEmpty)
    }

    @Test func damagedJournal_isKept() throws {
        let store = try store()
        for name in "abcdefgh" { _ = try store.create(name: String(name), entries: []) }
        let (copy, path) = (try StateFixture(), fixture.directory + "/playlists.sqlite")
        try FileManager.default.copyItem(atPath: path, toPath: copy.directory + "/playlists.sqlite")
        var journal = try Data(contentsOf: URL(fileURLWithPath: path + "-wal"))
        journal[journal.count - 15_000] ^= 1
        try journal.write(to: URL(fileURLWithPath: copy.directory + "/playlists.sqlite-wal"))
        let reopened = try PlaylistStore(directory: copy.directory, logger: Logger(label: "test"))
        #expect((1..<8).contains(try reopened.playlists().count))
        #expect(try copy.files.contains { $0.contains(".damaged-") && $0.hasSuffix("-wal") })
    }

    @Test(arguments: ["UPDATE playlist SET name = X'FF'", "UPDATE entry SET uri = X'FF'"])
    func valueOfTheWrongType_isAnError(change: String) throws {
        let (store, list) = try filled("1")
        let file = try DatabaseQueue(path: fixture.directory + "/playlists.sqlite")
        try file.write { try $0.execute(sql: change) }
        try file.close()
        #expect(throws: PlaylistError.self) { try store.playlist(list.id, offset: 0, limit: 9) }
    }

    /// nil: the file is no database.
    @Test(arguments: [
        nil, "DROP TABLE entry", "DROP TABLE playlist", "ALTER TABLE entry DROP COLUMN album",
        "DROP TABLE entry; CREATE TABLE entry (playlist TEXT, place TEXT, uri TEXT, title TEXT, artist TEXT, album TEXT)",
    ])
    func damagedFile_isSetAside(change: String?) throws {
        var store = try filled("1").store
        store.close()
        let path = fixture.directory + "/playlists.sqlite"
        if let change {
            let file = try DatabaseQueue(path: path)
            try file.write { try $0.execute(sql: change) }
            try file.close()
        } else {
            try Data("no database at all, really".utf8).write(to: URL(fileURLWithPath: path))
        }
        store = try self.store()
        #expect(try store.playlists().isEmpty)
        let list = try store.create(name: "y", entries: [PlaylistEntry(uri: "2")])
        #expect(try store.playlist(list.id, offset: 0, limit: .max).entries.count == 1)
        #expect(try fixture.files.contains { $0.hasPrefix("playlists.sqlite.damaged-") })
    }
}
