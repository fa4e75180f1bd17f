// SPDX-License-Identifier: Apache-2.0

internal import GRDB
internal import Media
internal import Kernel

/// The journal of the cached files' contents, in SQLite. A row is written only after its bytes are on the disk.
final class CacheJournal {
    struct Record: Hashable {
        var id: Int64
        var url: String
        var facts = CachedFacts()
        var ranges: [Range<Int64>] = []
        var isComplete = false
        var used = 0.0
        /// When the server last confirmed this version; seconds since 1970.
        var checked = 0.0
    }

    private let queue: DatabaseQueue

    /// Throws if the file is not a database, or another server uses it.
    init(_ path: String) throws {
        var configuration = Configuration()
        configuration.busyMode = .timeout(0.5)
        configuration.prepareDatabase { database in
            // EXCLUSIVE: the files belong to one server.
            try database.execute(
                sql: """
                    PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
                    PRAGMA cache_size = -256
                    """)
        }
        queue = try DatabaseQueue(path: path, configuration: configuration)
        try queue.write { database in
            try database.execute(
                sql: """
                    CREATE TABLE IF NOT EXISTS entry (
                        id INTEGER PRIMARY KEY, url TEXT NOT NULL UNIQUE, size INTEGER, tag TEXT, modified TEXT,
                        type TEXT, ranges TEXT NOT NULL, complete INTEGER NOT NULL, used REAL NOT NULL)
                    """)
            let columns = Set(try database.columns(in: "entry").map(\.name))
            for name in ["lifetime", "checked"] where !columns.contains(name) {
                try database.execute(sql: "ALTER TABLE entry ADD COLUMN \(name) REAL")
            }
        }
    }

    func records() throws -> [Record] {
        try queue.read { database in
            try Row.fetchAll(database, sql: "SELECT * FROM entry ORDER BY id").compactMap(Self.record)
        }
    }

    /// All or nothing.
    func save(_ records: [Record], removing ids: [Int64]) throws {
        try queue.write { database in
            for id in ids { try database.execute(sql: "DELETE FROM entry WHERE id = ?", arguments: [id]) }
            for record in records {
                try database.execute(
                    sql: """
                        INSERT OR REPLACE INTO entry
                            (id, url, size, tag, modified, type, ranges, complete, used, lifetime, checked)
                        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                        """,
                    arguments: [
                        record.id, record.url, record.facts.size?.bytes, record.facts.entityTag,
                        record.facts.lastModified, record.facts.contentType, Self.text(record.ranges),
                        record.isComplete, record.used,
                        record.facts.lifetime, record.checked,
                    ])
            }
        }
    }

    /// nil for a row that we did not write.
    private static func record(_ row: Row) -> Record? {
        guard let id = Int64.fromDatabaseValue(row["id"]), let url = String.fromDatabaseValue(row["url"]),
            let text = String.fromDatabaseValue(row["ranges"]), let ranges = ranges(text)
        else { return nil }
        let facts = CachedFacts(
            size: Int64.fromDatabaseValue(row["size"]).flatMap { ByteCount($0) },
            entityTag: String.fromDatabaseValue(row["tag"]),
            lastModified: String.fromDatabaseValue(row["modified"]),
            contentType: String.fromDatabaseValue(row["type"]), lifetime: Double.fromDatabaseValue(row["lifetime"]))
        return Record(
            id: id, url: url, facts: facts, ranges: ranges,
            isComplete: Int64.fromDatabaseValue(row["complete"]) == 1,
            used: Double.fromDatabaseValue(row["used"]) ?? 0,
            checked: Double.fromDatabaseValue(row["checked"]) ?? 0)
    }

    private static func text(_ ranges: [Range<Int64>]) -> String {
        ranges.map { "\($0.lowerBound)-\($0.upperBound)" }.joined(separator: ",")
    }

    /// nil unless the ranges are in order and apart.
    private static func ranges(_ text: String) -> [Range<Int64>]? {
        var ranges: [Range<Int64>] = []
        for part in text.split(separator: ",") {
            let bounds = part.split(separator: "-", omittingEmptySubsequences: false).map { ByteCount(digits: $0) }
            guard bounds.count == 2, let start = bounds[0], let end = bounds[1], start < end,
                start.bytes > ranges.last?.upperBound ?? -1
            else { return nil }
            ranges.append(start.bytes..<end.bytes)
        }
        return ranges
    }
}
