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
        let fixture = try filled()
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
        #expect(try fixture.reloaded().items.map(\.uri) == ["n", "e", "w"])
    }

    enum Obstacle: CaseIterable {
        case directory, fullDirectory, pipe, loop, socket
    }

    /// Nothing in the place of our files may keep the server from starting.
    @Test(arguments: Obstacle.allCases, ["state.sqlite", "state.sqlite-wal", "state.sqlite-shm", "state.lock"])
    func anythingButAFile_isSetAside(_ obstacle: Obstacle, _ name: String) throws {
        let fixture = try filled()
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
        #expect(try fixture.reloaded().items.map(\.uri) == ["n", "e", "w"])
    }

    /// SQLite uses the valid part of the journal; the whole journal is kept with its database.
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

    /// I/O errors are not damage: the queue is kept, and the start fails with the reason.
    @Test(arguments: [ResultCode.SQLITE_IOERR, .SQLITE_CANTOPEN, .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_NOMEM])
    func fileThatCannotBeReadNow_staysInItsPlace(_ code: ResultCode) throws {
        let fixture = try filled()
        let error = #expect(throws: StateStoreError.self) {
            try StateFile.open(directory: fixture.directory, logger: Logger(label: "test")) { _ in
                throw DatabaseError(resultCode: code)
            }
        }
        guard case .unusable? = error else { return #expect(Bool(false), "it is not unusable") }
        #expect(try !fixture.files.contains { $0.contains(".damaged-") })
        #expect(try fixture.reloaded().items.count == 1000)
    }

    /// A server without the limit may have written such a queue: its beginning is read, the rest kept aside.
    @Test func queueBeyondItsBytes_isCut_andKeptAside() throws {
        let fixture = try filled()
        try DatabaseQueue(path: fixture.path).write { database in
            try database.execute(sql: "UPDATE item SET title = printf('%.*c', 100000, 'x'), rank = -rank")
        }
        let store = try fixture.store()
        let loaded = store.load()
        #expect((600..<700).contains(loaded.items.count))
        // The beginning of the queue, regardless of the order of the rows.
        #expect(loaded.items.first?.id.number == 1000)
        store.close()
        let counts = try DatabaseQueue(path: fixture.path).read { database in
            try ["item", "unreadable"].map { try Int.fetchOne(database, sql: "SELECT count(*) FROM \($0)") }
        }
        #expect(counts == [loaded.items.count, 1000 - loaded.items.count])
        #expect(try fixture.reloaded().items.count == loaded.items.count)
    }

    @Test func unreadableRows_areSkipped() throws {
        let fixture = try filled()
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
        #expect((loaded.settings.volume, loaded.settings.balance, loaded.settings.repeats) == (1, 0, .one))
        store.close()
        #expect(try fixture.reloaded().items.map(\.id) == loaded.items.map(\.id))
    }

    /// Copies of file and journal at any moment simulate a SIGKILL.
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
            // A kill stops both files at once. A copy is equivalent if the journal, which is copied last, was not restarted
            // meanwhile: it still has the pages that a checkpoint wrote into the file.
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

    /// Contains random numbers, which change when SQLite restarts the journal.
    private static func journalHeader(_ fixture: StateFixture) throws -> Data {
        try Data(contentsOf: URL(fileURLWithPath: fixture.path + "-wal")).prefix(32)
    }

    /// A state with 1,000 items.
    private func filled() throws -> StateFixture {
        let fixture = try StateFixture()
        let store = try fixture.store()
        var saved = SavedQueue(store: store)
        let draft = ItemDraft(uri: String(repeating: "long/", count: 20))
        try saved.apply(.insert(Array(repeating: draft, count: 1000), at: .end))
        #expect(store.flush())
        store.close()
        return fixture
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
