// SPDX-License-Identifier: Apache-2.0

import GRDB
import Kernel
import Logging
import Synchronization

/// The connection to `library.sqlite`, which is replaced by a new file if it turns out to be damaged. Any thread may use it.
final class CatalogueConnection: Sendable {
    let path: String
    let keys: CatalogueKeys
    /// The catalogue was empty when it was opened.
    let beganEmpty: Bool
    private let logger: Logger
    private let pool: Mutex<DatabasePool?>
    private static let loss = "the music is scanned again"

    init(path: String, keys: CatalogueKeys, logger: Logger) throws {
        self.path = path
        self.keys = keys
        self.logger = logger
        let (opened, isEmpty) = try DamagedFile.opening(path, logger, loss: Self.loss, isCopy: true) {
            let pool = try Self.open(path, keys)
            return (pool, try pool.read { try Int.fetchOne($0, sql: "SELECT EXISTS (SELECT * FROM folder)") == 0 })
        }
        beganEmpty = isEmpty
        pool = Mutex(opened)
    }

    func read<Value>(_ body: (Database) throws -> Value) throws -> Value { try current().read(body) }

    func write<Value>(_ body: (Database) throws -> Value) throws -> Value { try current().write(body) }

    func check() throws { try DamagedFile.check(current()) }

    /// Sets the file aside and begins a new one. Reads fail meanwhile.
    func replace(because error: any Error) throws {
        try pool.withLock { $0.take() }?.close()
        try DamagedFile.setAside(path, logger, because: error, loss: Self.loss)
        let new = try Self.open(path, keys)
        pool.withLock { $0 = new }
    }

    func close() {
        let old = pool.withLock { $0.take() }
        do {
            // Leaves a file without a journal.
            try old?.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
            try old?.close()
        } catch {
            logger.error("\(path) could not be closed: \(error)")
        }
    }

    private func current() throws -> DatabasePool {
        guard let pool = pool.withLock({ $0 }) else { throw Closed() }
        return pool
    }

    struct Closed: Error, CustomStringConvertible {
        var description: String { "the catalogue is closed" }
    }

    private static func open(_ path: String, _ keys: CatalogueKeys) throws -> DatabasePool {
        var configuration = Configuration()
        configuration.label = "library"
        configuration.maximumReaderCount = 3
        configuration.prepareDatabase { database in
            try database.execute(
                sql: """
                    PRAGMA synchronous = NORMAL; PRAGMA journal_size_limit = 16777216; PRAGMA cache_size = -16000
                    """)
        }
        DamagedFile.makePrivate(path)
        let pool = try DatabasePool(path: path, configuration: configuration)
        try CatalogueSchema.prepare(pool)
        try rekey(pool, keys)
        FreePages.giveBack(pool)
        return pool
    }

    /// Converts a catalogue with the hashes of another key to this key.
    ///
    /// Folders and files get their new keys at once. Artists, albums and genres follow when the next scan reads all files again,
    /// which keeps the times at which tracks were added.
    private static func rekey(_ pool: DatabasePool, _ keys: CatalogueKeys) throws {
        let isNeeded = try pool.read { database in
            let top = try Int64.fetchOne(database, sql: "SELECT id FROM folder WHERE uri = ''")
            let isEmpty = try Int.fetchOne(database, sql: "SELECT EXISTS (SELECT * FROM folder)") == 0
            return !isEmpty && top != keys.of("")
        }
        guard isNeeded else { return }
        let own = DatabaseFunction("catalogueKey", argumentCount: 1, pure: true) { values in
            String.fromDatabaseValue(values[0]).map { keys.of($0) }
        }
        let parent = DatabaseFunction("catalogueFolder", argumentCount: 1, pure: true) { values in
            String.fromDatabaseValue(values[0]).map { keys.of(folderOf: $0) }
        }
        try pool.write { database in
            database.add(function: own)
            database.add(function: parent)
            // No file has this modification time: all count as changed.
            try database.execute(
                sql: """
                    UPDATE folder SET id = catalogueKey(uri),
                        parent = CASE uri WHEN '' THEN NULL ELSE catalogueFolder(uri) END;
                    UPDATE track SET key = catalogueKey(uri), folder = catalogueFolder(uri), modified = -1;
                    UPDATE failure SET key = catalogueKey(uri), folder = catalogueFolder(uri), modified = -1;
                    UPDATE album SET artwork = NULL;
                    """)
            database.remove(function: own)
            database.remove(function: parent)
        }
    }
}

/// Hashes of names, which are the same in every catalogue of a data directory. 64 bits: among a million names the probability
/// of a collision is below 1 in 10 million. Keyed, so that nobody can choose names that collide.
struct CatalogueKeys: Sendable {
    private let key: KeyedHash.Key

    init(_ key: KeyedHash.Key) { self.key = key }

    func of(_ parts: String...) -> Int64 {
        var names = KeyedHash(key)
        for part in parts {
            names.add(part)
            names.add(0xFF as UInt8)
        }
        return Int64(bitPattern: names.value)
    }
    func of(folderOf uri: String) -> Int64 {
        of(uri.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(uri[..<$0]) } ?? "")
    }
}
