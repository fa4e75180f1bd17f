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

    @Test func list_isKept() throws {
        let entries = [PlaylistEntry(uri: "a.mp3", title: "A"), PlaylistEntry(uri: "b.mp3")]
        let made = try store().create(name: "Evening", entries: entries)
        let store = try store()
        #expect(try store.playlists() == [made])
        #expect(try store.playlist(made.id, offset: 0, limit: .max).entries == entries)
        #expect(made.length == 2 && made.revision == 1)
    }

    @Test func change_replacesAppendsAndRenames() throws {
        let store = try store()
        let id = try store.create(name: "x", entries: [PlaylistEntry(uri: "1")]).id
        #expect(try store.change(id, name: nil, entries: .append([PlaylistEntry(uri: "2")]), expected: 1).length == 2)
        #expect(try store.change(id, name: "y", entries: nil, expected: 2).name == "y")
        #expect(try store.playlist(id, offset: 0, limit: .max).entries.map(\.uri) == ["1", "2"])
        #expect(try store.change(id, name: nil, entries: .replace([]), expected: nil).length == 0)
        #expect(throws: PlaylistError.revisionMismatch(current: 4)) {
            try store.change(id, name: "z", entries: nil, expected: 1)
        }
        #expect(try store.playlist(id, offset: 0, limit: .max).list.name == "y")
    }

    @Test func removedList_isUnknown_andItsIDIsNotGivenAgain() throws {
        let store = try store()
        let id = try store.create(name: "x", entries: [PlaylistEntry(uri: "1")]).id
        try store.remove(id, expected: nil)
        #expect(throws: PlaylistError.unknown) { try store.playlist(id, offset: 0, limit: .max) }
        #expect(try store.create(name: "y", entries: []).id != id)
    }

    @Test func bytesAreCounted_asTheListChanges() throws {
        let store = try store()
        let entry = PlaylistEntry(uri: String(repeating: "u", count: 4_000), title: "é")
        let few = [PlaylistEntry](repeating: entry, count: 2_000)
        let id = try store.create(name: "x", entries: few).id
        _ = try store.change(id, name: nil, entries: .append(few), expected: nil)
        #expect(throws: PlaylistError.tooLarge(megabytes: 16)) {
            try store.change(id, name: nil, entries: .append(few), expected: nil)
        }
        #expect(try store.change(id, name: nil, entries: .replace(few), expected: nil).length == 2_000)
        #expect(try store.change(id, name: nil, entries: .append(few), expected: nil).length == 4_000)
    }

    /// What large lists have left is given back to the disk at the next start.
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
        let store = try store()
        let id = try store.create(name: "x", entries: [PlaylistEntry(uri: "1")]).id
        let many = Array(repeating: PlaylistEntry(uri: "1"), count: PlaylistStore.maximumEntries)
        #expect(throws: PlaylistError.full(maximum: PlaylistStore.maximumEntries)) {
            try store.change(id, name: nil, entries: .append(many), expected: nil)
        }
        #expect(try store.playlist(id, offset: 0, limit: .max).list.length == 1)
    }

    @Test func listBeyondItsBytes_isRefusedWhole() throws {
        let store = try store()
        let fat = Array(repeating: PlaylistEntry(uri: "1", title: String(repeating: "é", count: 50_000)), count: 100)
        let id = try store.create(name: "x", entries: fat).id
        #expect(throws: PlaylistError.tooLarge(megabytes: 16)) {
            try store.change(id, name: nil, entries: .append(fat), expected: nil)
        }
        #expect(throws: PlaylistError.tooLarge(megabytes: 16)) { try store.create(name: "y", entries: fat + fat) }
        #expect(try store.playlist(id, offset: 0, limit: 1).list.length == 100 && store.playlists().count == 1)
        #expect(try store.change(id, name: nil, entries: .replace(fat), expected: nil).length == 100)
    }

    @Test func listsAreRead_whileNothingCanBeWritten() throws {
        let store = try store()
        let made = try store.create(name: "x", entries: [PlaylistEntry(uri: "1")])
        let other = try DatabaseQueue(path: fixture.directory + "/playlists.sqlite")
        try other.writeWithoutTransaction { database in
            // Nobody else may write meanwhile.
            try database.execute(sql: "BEGIN IMMEDIATE")
            #expect(try store.playlists() == [made])
            #expect(try store.playlist(made.id, offset: 0, limit: .max).entries.count == 1)
            let error = #expect(throws: PlaylistError.self) { try store.remove(made.id, expected: nil) }
            guard case .notSaved? = error else { return #expect(Bool(false)) }
            try database.execute(sql: "ROLLBACK")
        }
    }

    @Test func closedStore_leavesOneFile_andIsUnreadable() throws {
        let store = try store()
        _ = try store.create(name: "x", entries: [])
        store.close()
        #expect(try fixture.files.filter { $0.hasPrefix("playlists") } == ["playlists.sqlite"])
        let error = #expect(throws: PlaylistError.self) { try store.playlists() }
        guard case .unreadable? = error else { return #expect(Bool(false)) }
        #expect(try self.store().playlists().count == 1)
    }

    @Test(arguments: ["playlists.sqlite-wal", "playlists.sqlite-shm"])
    func pipeInPlaceOfAFile_isSetAside(name: String) throws {
        var store = try store()
        _ = try store.create(name: "x", entries: [])
        store.close()
        try #require(mkfifo(fixture.directory + "/" + name, 0o600) == 0)
        store = try self.store()
        #expect(try store.playlists().count == 1)
        #expect(try fixture.files.contains { $0.hasPrefix(name + ".damaged-") })
        store.close()
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

    @Test func damagedFile_isSetAside() throws {
        try Data("no database at all, really".utf8).write(
            to: URL(fileURLWithPath: fixture.directory + "/playlists.sqlite"))
        #expect(try store().playlists().isEmpty)
        #expect(try fixture.files.contains { $0.hasPrefix("playlists.sqlite.damaged-") })
    }

    @Test(arguments: [
        "DROP TABLE entry", "DROP TABLE playlist", "ALTER TABLE entry DROP COLUMN album",
        "DROP TABLE entry; CREATE TABLE entry (playlist TEXT, place TEXT, uri TEXT, title TEXT, artist TEXT, album TEXT)",
    ])
    func fileWithoutWhatItNeeds_isSetAside(change: String) throws {
        var made: Playlist?
        do {
            let store = try store()
            made = try store.create(name: "x", entries: [PlaylistEntry(uri: "1")])
            store.close()
        }
        let file = try DatabaseQueue(path: fixture.directory + "/playlists.sqlite")
        try file.write { try $0.execute(sql: change) }
        try file.close()
        let store = try store()
        #expect(try store.playlists().isEmpty && made != nil)
        let list = try store.create(name: "y", entries: [PlaylistEntry(uri: "2")])
        #expect(try store.playlist(list.id, offset: 0, limit: .max).entries.count == 1)
        #expect(try fixture.files.contains { $0.hasPrefix("playlists.sqlite.damaged-") })
    }
}
