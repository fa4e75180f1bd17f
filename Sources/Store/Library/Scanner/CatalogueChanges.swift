// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import GRDB
import Media

/// The changes of one transaction of a scan.
struct CatalogueChanges {
    var newFolders: [(uri: String, hasPicture: Bool)] = []
    /// Known folders whose picture has appeared or disappeared, by id.
    var pictures: [Int64: Bool] = [:]
    var records: [CatalogueRecord] = []
    var removedFiles: [Int64] = []
    var removedFolders: Set<Int64> = []

    var count: Int { records.count + removedFiles.count }
    var isEmpty: Bool {
        newFolders.isEmpty && pictures.isEmpty && records.isEmpty && removedFiles.isEmpty && removedFolders.isEmpty
    }

    func write(to database: Database, _ keys: CatalogueKeys) throws -> (added: Int, changed: Int, removed: Int) {
        var writer = CatalogueWriter(database: database, keys: keys, now: Date().timeIntervalSince1970)
        for folder in newFolders { try writer.keepFolder(folder.uri, hasPicture: folder.hasPicture) }
        for (id, isThere) in pictures { try writer.setPicture(isThere, ofFolder: id) }
        for key in removedFiles { try writer.remove(key) }
        for id in removedFolders { try writer.removeFolder(id) }
        for record in records { try writer.keep(record) }
        var totals = writer.touched
        try totals.refresh(database)
        return (writer.added, writer.changed, writer.removed)
    }

    /// The ids of a folder and all folders below it.
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

extension FileStamp {
    /// Reads the columns size, modified, changed and inode.
    init(_ row: StoredRow, from first: Int) throws {
        try self.init(
            size: row[first], modified: row[first + 1], changed: row[first + 2],
            inode: UInt64(bitPattern: row[first + 3] as Int64))
    }

    /// Whether the content is the same, judged by its stamp.
    func isSameContent(as other: FileStamp) -> Bool {
        size == other.size && modified == other.modified && inode == other.inode
    }
}

/// The catalogue's record of a file, for detecting changes.
struct KnownFile {
    var stamp: FileStamp
    var isFailure: Bool

    func isUnchanged(_ new: FileStamp) -> Bool {
        stamp.isSameContent(as: new)
            // New permissions may make a file readable; they change `changed`, not `modified`.
            && (!isFailure || stamp.changed == new.changed)
    }
}

/// The catalogue's record of a folder.
struct KnownFolder {
    /// By key.
    var files: [Int64: KnownFile] = [:]
    var hasPicture = false

    /// By id.
    static func all(_ folders: [Int64], _ connection: CatalogueConnection) throws -> [Int64: KnownFolder] {
        guard !folders.isEmpty else { return [:] }
        return try connection.read { database in
            var known: [Int64: KnownFolder] = [:]
            for folder in folders { known[folder] = try KnownFolder(folder, database) }
            return known
        }
    }

    private init(_ folder: Int64, _ database: Database) throws {
        hasPicture = try database.row("SELECT picture FROM folder WHERE id = ?", [folder])?[0] ?? false
        let rows = try database.rows(
            """
            SELECT key, size, modified, changed, inode, 0 FROM track WHERE folder = ?1
            UNION ALL SELECT key, size, modified, changed, inode, 1 FROM failure WHERE folder = ?1
            """, [folder])
        for row in rows {
            try files[row[0]] = KnownFile(stamp: FileStamp(row, from: 1), isFailure: row[5])
        }
    }
}
