// SPDX-License-Identifier: Apache-2.0

import GRDB
import Kernel
import Logging
import Synchronization

/// The open catalogue, which is replaced by a new one when it turns out to be damaged. Usable from any thread.
final class CatalogueConnection: Sendable {
    let path: String
    let keys: CatalogueKeys
    private let logger: Logger
    private let pool: Mutex<DatabasePool?>
    /// Nothing was in it when it was opened.
    let beganEmpty: Bool

    init(path: String, keys: CatalogueKeys, logger: Logger) throws {
        self.path = path
        self.keys = keys
        self.logger = logger
        let opened = try CatalogueFile.open(path, keys, logger: logger)
        beganEmpty = opened.isNew
        pool = Mutex(opened.pool)
    }

    func read<Value>(_ body: (Database) throws -> Value) throws -> Value { try current().read(body) }

    func write<Value>(_ body: (Database) throws -> Value) throws -> Value { try current().write(body) }

    func check() throws { try DamagedFile.check(current()) }

    /// Sets the file aside and begins a new one. Readers fail meanwhile.
    func replace(because error: any Error) throws {
        let old = pool.withLock { pool in
            defer { pool = nil }
            return pool
        }
        try old?.close()
        let new = try CatalogueFile.replace(path, keys, because: error, logger: logger).pool
        pool.withLock { $0 = new }
    }

    func close() {
        let old = pool.withLock { pool in
            defer { pool = nil }
            return pool
        }
        do {
            // So that the file is whole by itself.
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
}

/// Opens `library.sqlite`; one that cannot be read is set aside under another name and a new one is begun.
enum CatalogueFile {
    private static let loss = "the music is scanned again"

    /// `isNew`: there was none that could be used.
    static func open(_ path: String, _ keys: CatalogueKeys, logger: Logger) throws -> (pool: DatabasePool, isNew: Bool)
    {
        try DamagedFile.opening(path, logger, loss: loss, isCopy: true) { try attempt(path, keys) }
    }

    /// Sets a damaged file aside and begins a new one. No connection may be open.
    static func replace(
        _ path: String, _ keys: CatalogueKeys, because error: any Error, logger: Logger
    ) throws -> (pool: DatabasePool, isNew: Bool) {
        try DamagedFile.setAside(path, logger, because: error, loss: loss)
        return try attempt(path, keys)
    }

    private static func attempt(_ path: String, _ keys: CatalogueKeys) throws -> (pool: DatabasePool, isNew: Bool) {
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
        try UnfitFile.prepare(
            pool, applicationID: CatalogueSchema.applicationID, fingerprint: CatalogueSchema.fingerprint,
            CatalogueSchema.migrator)
        try CatalogueRekeying.run(in: pool, keys)
        FreePages.giveBack(pool)
        let isNew = try pool.read { try Int.fetchOne($0, sql: "SELECT EXISTS (SELECT * FROM folder)") == 0 }
        return (pool, isNew)
    }
}

/// Numbers that stand for names: the same in every run, and in every catalogue of one data directory. 64 bits, so that among a
/// million names the chance of two with one number is below 1 in 10 million; keyed, so that nobody can choose such names.
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
}
