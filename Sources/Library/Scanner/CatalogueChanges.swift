// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import GRDB
import Media

/// What one transaction of a scan writes.
struct CatalogueChanges {
    var newFolders: [String] = []
    var records: [CatalogueRecord] = []
    var removedFiles: [Int64] = []
    var removedFolders: Set<Int64> = []

    var count: Int { records.count + removedFiles.count }
    var isEmpty: Bool { newFolders.isEmpty && records.isEmpty && removedFiles.isEmpty && removedFolders.isEmpty }

    func write(to database: Database) throws -> (added: Int, changed: Int, removed: Int) {
        var writer = CatalogueWriter(database, now: Date().timeIntervalSince1970)
        for uri in newFolders { try writer.keepFolder(uri) }
        for key in removedFiles { try writer.remove(key) }
        for id in removedFolders { try writer.removeFolder(id) }
        for record in records { try writer.keep(record) }
        var totals = writer.touched
        try totals.refresh(database)
        return (writer.added, writer.changed, writer.removed)
    }

    /// A folder and all below it.
    static func subtree(of id: Int64, _ database: Database) throws -> Set<Int64> {
        try Int64.fetchSet(
            database,
            sql: """
                WITH RECURSIVE below (id) AS (
                    SELECT ? UNION SELECT folder.id FROM folder JOIN below ON folder.parent = below.id)
                SELECT id FROM below
                """, arguments: [id])
    }
}

/// What the catalogue knows of a file, to see whether it changed.
struct KnownFile {
    var stamp: FileStamp
    var isFailure: Bool

    func isUnchanged(_ new: FileStamp) -> Bool {
        stamp.size == new.size && stamp.modified == new.modified && stamp.inode == new.inode
            // Whether a file can be read changes with its permissions, which its time of writing does not tell.
            && (!isFailure || stamp.changed == new.changed)
    }

    /// By folder and key.
    static func all(in folders: [Int64], _ connection: CatalogueConnection) throws -> [Int64: [Int64: KnownFile]] {
        guard !folders.isEmpty else { return [:] }
        return try connection.read { database in
            var known: [Int64: [Int64: KnownFile]] = [:]
            for folder in folders { known[folder] = try all(in: folder, database) }
            return known
        }
    }

    private static func all(in folder: Int64, _ database: Database) throws -> [Int64: KnownFile] {
        var known: [Int64: KnownFile] = [:]
        let rows = try Row.fetchCursor(
            database.cachedStatement(
                sql: """
                    SELECT key, size, modified, changed, inode, 0 FROM track WHERE folder = ?1
                    UNION ALL SELECT key, size, modified, changed, inode, 1 FROM failure WHERE folder = ?1
                    """), arguments: [folder])
        while let row = try rows.next() {
            known[row[0]] = KnownFile(
                stamp: FileStamp(
                    size: row[1], modified: row[2], changed: row[3], inode: UInt64(bitPattern: row[4] as Int64)),
                isFailure: row[5])
        }
        return known
    }
}
