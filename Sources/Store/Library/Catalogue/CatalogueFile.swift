// SPDX-License-Identifier: Apache-2.0

import GRDB
import Logging

/// Opens `library.sqlite`; one that cannot be read is set aside under another name and a new one is begun.
enum CatalogueFile {
    private static let loss = "the music is scanned anew"

    /// `isNew`: there was none that could be used.
    static func open(_ path: String, _ keys: CatalogueKeys, logger: Logger) throws -> (pool: DatabasePool, isNew: Bool)
    {
        try DamagedFile.opening(path, logger, loss: loss) { try attempt(path, keys) }
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
