// SPDX-License-Identifier: Apache-2.0

import Kernel
public import Service
import FoundationEssentials
import GRDB
public import Logging
import Synchronization

/// Saved playlists in `playlists.sqlite` of the data directory. Any thread may use it; calls are serialized.
public final class PlaylistStore: PlaylistKeeper {
    public static let maximumPlaylists = 10_000
    public static let maximumEntries = 100_000

    /// nil once closed.
    private let queue: Mutex<DatabaseQueue?>
    private let logger: Logger

    /// Sets a damaged file aside and begins a new one.
    public init(directory: String, logger: Logger) throws(StateStoreError) {
        let path = directory + "/playlists.sqlite"
        self.logger = logger
        do {
            queue = Mutex(
                try DamagedFile.opening(path, logger, loss: "starting without playlists") {
                    try PlaylistSchema.open(path)
                })
        } catch {
            throw .failed(error, path: path)
        }
    }

    public func playlists() throws(PlaylistError) -> [Playlist] {
        try read { database in
            try database.rows(Self.columns + " ORDER BY name COLLATE NOCASE, id").map(Self.playlist)
        }
    }

    public func search(_ text: String, limit: Int) throws(PlaylistError) -> [Playlist] {
        NameSearch(text).best(try playlists(), limit) { $0.name }
    }

    public func playlist(
        _ id: PlaylistID, offset: Int, limit: Int
    ) throws(PlaylistError) -> (list: Playlist, entries: [PlaylistEntry]) {
        try read { database in
            let list = try Self.find(id, database)
            // Places are the indices: 0 and up, without gaps.
            let sql = """
                SELECT uri, title, artist, album, reach FROM entry WHERE playlist = ? AND place >= ? ORDER BY place LIMIT ?
                """
            let entries = try database.rows(sql, [id.number, offset, limit]).map { row in
                try PlaylistEntry(
                    uri: row[0], title: row[1], artist: row[2], album: row[3], reach: NetworkReach(saved: row[4]))
            }
            return (list, entries)
        }
    }

    public func create(name: String, entries: [PlaylistEntry]) throws(PlaylistError) -> Playlist {
        try write { database in
            guard try Int.fetchOne(database, sql: "SELECT count(*) FROM playlist") ?? 0 < Self.maximumPlaylists else {
                throw PlaylistError.full(maximum: Self.maximumPlaylists)
            }
            try database.execute(
                sql: "INSERT INTO playlist (name, revision, modified) VALUES (?, 1, ?)",
                arguments: [name, Date().timeIntervalSince1970])
            let id = PlaylistID(number: database.lastInsertedRowID)
            try Self.insert(entries, into: id, from: 0, database)
            return try Self.find(id, database)
        }
    }

    public func change(
        _ id: PlaylistID, name: String?, entries: PlaylistChange?, expected: [UInt64]?
    ) throws(PlaylistError) -> Playlist {
        try write { database in
            let old = try Self.find(id, database, expected: expected)
            switch entries {
            case .replace(let entries):
                try database.execute(sql: "DELETE FROM entry WHERE playlist = ?", arguments: [id.number])
                try database.execute(sql: "UPDATE playlist SET bytes = 0 WHERE id = ?", arguments: [id.number])
                try Self.insert(entries, into: id, from: 0, database)
            case .append(let entries): try Self.insert(entries, into: id, from: old.length, database)
            case nil: break
            }
            try database.execute(
                sql: "UPDATE playlist SET name = coalesce(?, name), revision = revision + 1, modified = ? WHERE id = ?",
                arguments: [name, Date().timeIntervalSince1970, id.number])
            return try Self.find(id, database)
        }
    }

    public func remove(_ id: PlaylistID, expected: [UInt64]?) throws(PlaylistError) {
        try write { database in
            _ = try Self.find(id, database, expected: expected)
            try database.execute(sql: "DELETE FROM playlist WHERE id = ?", arguments: [id.number])
        }
    }

    private static let columns = """
        SELECT id, name, (SELECT count(*) FROM entry WHERE playlist = playlist.id), revision, modified FROM playlist
        """

    private static func playlist(_ row: StoredRow) throws -> Playlist {
        try Playlist(
            id: PlaylistID(number: row[0]), name: row[1], length: row[2],
            revision: UInt64(bitPattern: row[3] as Int64), modified: row[4])
    }

    private static func find(_ id: PlaylistID, _ database: Database, expected: [UInt64]? = nil) throws -> Playlist {
        let row = try database.row(columns + " WHERE id = ?", [id.number])
        guard let row else { throw PlaylistError.unknown }
        let found = try playlist(row)
        if let expected, !expected.contains(found.revision) {
            throw PlaylistError.revisionMismatch(current: found.revision)
        }
        return found
    }

    private static func insert(
        _ entries: [PlaylistEntry], into id: PlaylistID, from first: Int, _ database: Database
    ) throws {
        guard first + entries.count <= maximumEntries else { throw PlaylistError.full(maximum: maximumEntries) }
        var budget = ByteBudget.playlist
        let old =
            try Int.fetchOne(database, sql: "SELECT bytes FROM playlist WHERE id = ?", arguments: [id.number]) ?? 0
        let new = entries.reduce(0) { $0 + $1.bytes }
        guard budget.take(old), budget.take(new) else { throw PlaylistError.tooLarge(megabytes: budget.megabytes) }
        try database.execute(sql: "UPDATE playlist SET bytes = ? WHERE id = ?", arguments: [budget.used, id.number])
        let statement = try database.cachedStatement(sql: "INSERT INTO entry VALUES (?, ?, ?, ?, ?, ?, ?)")
        for (index, entry) in entries.enumerated() {
            statement.setUncheckedArguments([
                id.number, first + index, entry.uri, entry.title, entry.artist, entry.album, entry.reach.saved,
            ])
            try statement.execute()
        }
    }

    /// Waits for running calls; later calls fail.
    public func close() {
        do {
            try queue.withLock { try $0.take()?.close() }
        } catch {
            // All answered changes are saved; the next start cleans up.
            logger.warning("playlists.sqlite is not closed: \(error)")
        }
    }

    private struct Closed: Error, CustomStringConvertible {
        let description = "they are closed"
    }

    private func open<Value>(_ body: (DatabaseQueue) throws -> Value) throws -> Value {
        try queue.withLock { queue in
            guard let queue else { throw Closed() }
            return try body(queue)
        }
    }

    /// Works on a disk that is full or read-only.
    private func read<Value>(_ body: (Database) throws -> Value) throws(PlaylistError) -> Value {
        do {
            return try open { try $0.read(body) }
        } catch let error as PlaylistError {
            throw error
        } catch {
            throw .unreadable("The playlists cannot be read: \(error)")
        }
    }

    /// Runs one transaction.
    private func write<Value>(_ body: (Database) throws -> Value) throws(PlaylistError) -> Value {
        do {
            return try open { queue in
                do {
                    return try queue.write { database in
                        let value = try body(database)
                        try database.requireUnmoved()
                        return value
                    }
                } catch {
                    throw queue.inDatabase { $0.cause(of: error) }
                }
            }
        } catch let error as PlaylistError {
            throw error
        } catch {
            if error.isDiskFull { throw .diskFull("The playlists cannot be written: the disk is full.") }
            throw .notSaved("The playlists cannot be written: \(error)")
        }
    }
}
