// SPDX-License-Identifier: Apache-2.0

import GRDB
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
