// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import GRDB
import Media

/// The changes that one transaction of a scan writes.
struct CatalogueChanges {
    var newFolders: [NewFolder] = []
    /// Whether folders that are known have a picture, where that has changed.
    var pictures: [Int64: Bool] = [:]
    var records: [CatalogueRecord] = []
    var removedFiles: [Int64] = []
    var removedFolders: Set<Int64> = []

    struct NewFolder {
        var uri: String
        var hasPicture: Bool
    }

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

extension FileStamp {
    /// As far as a stamp shows.
    func isSameContent(as other: FileStamp) -> Bool {
        size == other.size && modified == other.modified && inode == other.inode
    }
}

/// The catalogue's facts of a file, to see whether it changed.
struct KnownFile {
    var stamp: FileStamp
    var isFailure: Bool

    func isUnchanged(_ new: FileStamp) -> Bool {
        stamp.isSameContent(as: new)
            // Whether a file can be read changes with its permissions, which its modification time does not show.
            && (!isFailure || stamp.changed == new.changed)
    }
}

/// The catalogue's facts of a folder.
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
        hasPicture =
            try Bool.fetchOne(
                database.cachedStatement(sql: "SELECT picture FROM folder WHERE id = ?"), arguments: [folder]) ?? false
        let rows = try Row.fetchCursor(
            database.cachedStatement(
                sql: """
                    SELECT key, size, modified, changed, inode, 0 FROM track WHERE folder = ?1
                    UNION ALL SELECT key, size, modified, changed, inode, 1 FROM failure WHERE folder = ?1
                    """), arguments: [folder])
        while let row = try rows.next() {
            files[row[0]] = KnownFile(
                stamp: FileStamp(
                    size: row[1], modified: row[2], changed: row[3], inode: UInt64(bitPattern: row[4] as Int64)),
                isFailure: row[5])
        }
    }
}
