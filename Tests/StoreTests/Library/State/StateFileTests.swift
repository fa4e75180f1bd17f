// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import Logging
import Playback
import Testing

@testable import Store

@Suite struct StateFileTests {
    enum Damage: String, CaseIterable {
        case garbage, truncated, overwritten, wrongSchema, foreign, newer
    }

    @Test(arguments: Damage.allCases) func damagedDatabase_isSetAside_andANewOneBegun(_ damage: Damage) throws {
        let fixture = try StateFixture()
        try fill(fixture)
        try inflict(damage, on: fixture.path)
        let bytes = try Data(contentsOf: URL(fileURLWithPath: fixture.path))

        let store = try fixture.store()
        #expect(store.load().items.isEmpty)
        let aside = try #require(try fixture.files.first { $0.hasPrefix("state.sqlite.damaged-") })
        #expect(try Data(contentsOf: URL(fileURLWithPath: fixture.directory + "/" + aside)).count == bytes.count)
        var saved = SavedQueue(store: store)
        try saved.apply(.insert(drafts("new"), at: .end))
        #expect(store.flush())
        store.close()
        #expect(try fixture.store().load().items.map(\.uri) == ["n", "e", "w"])
    }

    enum Obstacle: CaseIterable {
        case directory, fullDirectory, pipe, loop, socket
    }

    /// Issue: nothing that stands in the place of our files may keep the server from starting.
    @Test(arguments: Obstacle.allCases, ["state.sqlite", "state.sqlite-wal", "state.sqlite-shm", "state.lock"])
    func whatIsNoFile_isSetAside(_ obstacle: Obstacle, _ name: String) throws {
        let fixture = try StateFixture()
        try fill(fixture)
        let path = fixture.directory + "/" + name
        if FileManager.default.fileExists(atPath: path) { try FileManager.default.removeItem(atPath: path) }
        switch obstacle {
        case .directory: #expect(mkdir(path, 0o700) == 0)
        case .fullDirectory:
            #expect(mkdir(path, 0o700) == 0)
            try Data([1]).write(to: URL(fileURLWithPath: path + "/inside"))
        case .pipe: #expect(mkfifo(path, 0o600) == 0)
        case .loop: #expect(symlink(name, path) == 0)
        case .socket: #expect(mknod(path, S_IFSOCK | 0o600, 0) == 0)
        }
        let store = try fixture.store()
        #expect(store.load().items.count == (name == "state.sqlite" ? 0 : 1000))
        #expect(try fixture.files.contains { $0.hasPrefix(name + ".damaged-") })
        var saved = SavedQueue(store: store)
        try saved.apply(.replace(drafts("new"), startIndex: nil))
        #expect(store.flush())
        store.close()
        #expect(try fixture.store().load().items.map(\.uri) == ["n", "e", "w"])
    }

    /// What SQLite cannot take of the journal is kept with its database, and what it can take is used.
    @Test(arguments: [0, 1, 8]) func damagedJournal_isKept_andTheRestIsUsed(part: Int) throws {
        let (fixture, copy) = (try StateFixture(), try StateFixture())
        let store = try fixture.store()
        var saved = SavedQueue(store: store)
        for letter in "abcdefghijklmnop" {
            try saved.apply(.insert(drafts(String(letter)), at: .end))
            #expect(store.flush())
        }
        try FileManager.default.copyItem(atPath: fixture.path, toPath: copy.path)
        var journal = try Data(contentsOf: URL(fileURLWithPath: fixture.path + "-wal"))
        let start = journal.count * part / 10
        journal.replaceSubrange(start..<start + 5_000, with: Data(repeating: 0xA5, count: 5_000))
        try journal.write(to: URL(fileURLWithPath: copy.path + "-wal"))

        var reopened = try copy.store()
        let found = reopened.load().items.map(\.uri)
        #expect(saved.items.map(\.uri).starts(with: found))
        #expect(found.isEmpty == (part < 8))
        let kept = try #require(try copy.files.first { $0.contains(".damaged-") && $0.hasSuffix("-wal") })
        #expect(try Data(contentsOf: URL(fileURLWithPath: copy.directory + "/" + kept)) == journal)
        #expect(try copy.files.contains(String(kept.dropLast(4))))
        reopened.close()
        reopened = try copy.store()
        #expect(reopened.load().items.map(\.uri) == found)
        #expect(try copy.files.count { $0.hasSuffix("-wal") && $0.contains(".damaged-") } == 1, "once")
        reopened.close()
    }

    /// What the disk or the process cannot do now is no damage: the queue is kept, and the start says why there is none.
    @Test(arguments: [ResultCode.SQLITE_IOERR, .SQLITE_CANTOPEN, .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_NOMEM])
    func fileThatCannotBeReadNow_staysInItsPlace(_ code: ResultCode) throws {
        let fixture = try StateFixture()
        try fill(fixture)
        do throws(StateStoreError) {
            _ = try StateFile.open(directory: fixture.directory, logger: Logger(label: "test")) { _ in
                throw DatabaseError(resultCode: code)
            }
            Issue.record("it opened")
        } catch {
            guard case .unusable = error else { return #expect(Bool(false), "\(error)") }
        }
        #expect(try !fixture.files.contains { $0.contains(".damaged-") })
        let store = try fixture.store()
        #expect(store.load().items.count == 1000)
        store.close()
    }

    /// As a server without that bound has left it: as much as a queue may have is read, the rest is kept.
    @Test func queueBeyondItsBytes_isCut_andKeptAside() throws {
        let fixture = try StateFixture()
        try fill(fixture)
        try DatabaseQueue(path: fixture.path).write { database in
            try database.execute(sql: "UPDATE item SET title = printf('%.*c', 100000, 'x'), rank = -rank")
        }
        var store = try fixture.store()
        var loaded = store.load()
        #expect((600..<700).contains(loaded.items.count))
        // From the queue's beginning, wherever its rows are.
        #expect(loaded.items.first?.id.number == 1000)
        store.close()
        let (kept, aside) = try DatabaseQueue(path: fixture.path).read { database in
            (
                try Int.fetchOne(database, sql: "SELECT count(*) FROM item"),
                try Int.fetchOne(database, sql: "SELECT count(*) FROM unreadable")
            )
        }
        #expect(kept == loaded.items.count && aside == 1000 - loaded.items.count)
        store = try fixture.store()
        loaded = store.load()
        #expect(loaded.items.count == kept)
        store.close()
    }

    @Test func unreadableRows_areSkipped() throws {
        let fixture = try StateFixture()
        try fill(fixture)
        try DatabaseQueue(path: fixture.path).write { database in
            try database.execute(
                sql: """
                    UPDATE item SET rank = 'x' WHERE id = 2;
                    UPDATE item SET rank = -9223372036854775808 WHERE id = 3;
                    UPDATE item SET rank = (SELECT rank FROM item WHERE id = 5) WHERE id = 4;
                    INSERT OR REPLACE INTO setting VALUES ('volume', 'loud'), ('repeat', 'one'), ('balance', 7);
                    """)
        }
        let store = try fixture.store()
        let loaded = store.load()
        #expect(loaded.items.count == 998)
        #expect(loaded.settings.volume == 1)
        #expect(loaded.settings.balance == 0)
        #expect(loaded.settings.repeats == .one)
        store.close()
        #expect(try fixture.store().load().items.map(\.id) == loaded.items.map(\.id))
    }

    /// What a SIGKILL leaves: the file and its journal as they are at any moment.
    @Test func copiesTakenWhileSaving_holdAPrefixOfWhatWasAcknowledged() throws {
        let fixture = try StateFixture()
        let store = try fixture.store()
        var saved = SavedQueue(store: store)
        var histories: [QueueRevision: [String]] = [0: []]
        for round in 0..<40 {
            for step in 0..<25 {
                switch (round + step) % 4 {
                case 0, 1: try saved.apply(.insert(drafts("abcd"), at: .index(saved.queue.count / 2)))
                case 2: try saved.apply(.remove([saved.items[0].id]))
                default: try saved.apply(.move([saved.items[0].id], to: saved.queue.count - 1))
                }
                histories[saved.queue.revision] = saved.items.map(\.id.description)
            }
            let acknowledged = saved.queue.revision
            if round % 2 == 0 { #expect(store.flush()) }
            let copy = try StateFixture()
            // A kill stops both files at once. A copy is like that when the journal, which is copied last, was not begun anew
            // meanwhile: what a checkpoint wrote into the file is in the journal too.
            var header: Data?
            repeat {
                header = try Self.journalHeader(fixture)
                for suffix in ["", "-wal"] {
                    try Data(contentsOf: URL(fileURLWithPath: fixture.path + suffix))
                        .write(to: URL(fileURLWithPath: copy.path + suffix))
                }
            } while try header != Self.journalHeader(fixture)
            let loaded = try copy.store().load()
            #expect(histories[loaded.revision] == loaded.items.map(\.id.description))
            if round % 2 == 0 { #expect(loaded.revision >= acknowledged) }
            #expect(try copy.files.allSatisfy { !$0.contains("damaged") })
        }
    }

    /// SQLite's random numbers in it change when the journal begins anew.
    private static func journalHeader(_ fixture: StateFixture) throws -> Data {
        try Data(contentsOf: URL(fileURLWithPath: fixture.path + "-wal")).prefix(32)
    }

    private func fill(_ fixture: StateFixture) throws {
        let store = try fixture.store()
        var saved = SavedQueue(store: store)
        let draft = ItemDraft(uri: String(repeating: "long/", count: 20))
        try saved.apply(.insert(Array(repeating: draft, count: 1000), at: .end))
        #expect(store.flush())
        store.close()
    }

    private func inflict(_ damage: Damage, on path: String) throws {
        let url = URL(fileURLWithPath: path)
        var bytes = try Data(contentsOf: url)
        switch damage {
        case .garbage: try Data(repeating: 0x5A, count: 5000).write(to: url)
        case .truncated: try bytes.prefix(bytes.count / 2).write(to: url)
        case .overwritten:
            bytes.replaceSubrange(8192..<40960, with: Data(repeating: 0xFF, count: 32768))
            try bytes.write(to: url)
        case .wrongSchema:
            try DatabaseQueue(path: path).write { try $0.execute(sql: "ALTER TABLE item RENAME COLUMN uri TO url") }
        case .foreign:
            try FileManager.default.removeItem(at: url)
            try DatabaseQueue(path: path).write { try $0.execute(sql: "CREATE TABLE other (a)") }
        case .newer:
            try DatabaseQueue(path: path).write {
                try $0.execute(sql: "INSERT INTO grdb_migrations VALUES ('2 of tomorrow')")
            }
        }
    }
}
