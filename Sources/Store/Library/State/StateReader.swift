// SPDX-License-Identifier: Apache-2.0

import Kernel
import FoundationEssentials
import GRDB
import Playback

/// Reads the whole saved state. Skips and counts invalid rows; throws if the file cannot be read.
struct StateReader {
    private(set) var saved = SavedPlayer()
    private(set) var ranks = Ranks()
    private(set) var skipped = 0
    /// The ids of the skipped items.
    private(set) var skippedItems: [Int64] = []
    /// Some ranks are equal: all must be rewritten.
    private(set) var needsRenumbering = false
    /// The saved queue exceeds the limits: the items at its end are skipped.
    private(set) var isCut = false

    init(_ database: Database) throws {
        try readItems(database)
        let player = try values(database, sql: "SELECT key, value FROM player")
        saved.revision = counter(player["revision"]) ?? 0
        let next = counter(player["nextItemNumber"]) ?? 1
        saved.nextItemNumber = max(next, (saved.items.lazy.map(\.id.number).max() ?? 0) + 1)
        if let id = itemID(player["currentItem"]) {
            let position = Double.fromDatabaseValue(player["position"] ?? .null) ?? 0
            if saved.items.contains(where: { $0.id == id }) {
                saved.current = SavedPosition(itemID: id, position: position)
            }
        }
        saved.unopened = itemID(player["opening"])
        let settings = try values(database, sql: "SELECT key, value FROM setting")
        skipped += saved.settings.take(settings)
        for (key, value) in settings where key.hasPrefix("note.") {
            saved.notes[String(key.dropFirst(5))] = String.fromDatabaseValue(value)
        }
    }

    private func itemID(_ value: DatabaseValue?) -> ItemID? {
        value.flatMap { Int64.fromDatabaseValue($0) }.map(ItemID.init(row:))
    }

    /// Numbers count up by one: a larger one was not written by us, and could overflow.
    private static let largestNumber: Int64 = 1 << 53

    private mutating func counter(_ value: DatabaseValue?) -> UInt64? {
        guard let value, !value.isNull else { return nil }
        guard let number = Int64.fromDatabaseValue(value), (0..<Self.largestNumber).contains(number) else {
            skipped += 1
            return nil
        }
        return UInt64(number)
    }

    /// Reads only the ranks, in order.
    static func ranks(_ database: Database) throws -> Ranks {
        Ranks(try Int64.fetchAll(database, sql: "SELECT rank FROM item ORDER BY rank, id"))
    }

    private mutating func readItems(_ database: Database) throws {
        var budget = ByteBudget.queue
        var isFull = false
        var entries: [(rank: Int64, item: QueueItem)] = []
        // Items of one source share it.
        var sources: [PathKey: ItemSource] = [:]
        var sql =
            "SELECT id, rank, uri, title, artist, album, artworkURI, beginTime, loops, headers, reach, source FROM item"
        // Read in order, so that the beginning of the queue is kept.
        if isCut { sql += " ORDER BY rank, id" }
        let rows = try Row.fetchCursor(database, sql: sql)
        while let row = try rows.next() {
            guard let id: Int64 = Self.value(row, 0), let rank: Int64 = Self.value(row, 1),
                (-Ranks.bound...Ranks.bound).contains(rank), (0..<Self.largestNumber).contains(id),
                let uri: String = Self.value(row, 2)
            else {
                skipped += 1
                // The primary key is always an integer.
                skippedItems.append(row[0])
                continue
            }
            var source: ItemSource?
            if let text: String = Self.value(row, 11) {
                source = sources[PathKey(text)] ?? ItemSource(saved: text)
                sources[PathKey(text)] = source
            }
            let draft = ItemDraft(
                uri: uri, title: Self.value(row, 3), artist: Self.value(row, 4), album: Self.value(row, 5),
                artworkURI: Self.value(row, 6), beginTime: Self.value(row, 7) ?? 0, loops: Self.value(row, 8) ?? 0,
                headers: Self.headers(Self.value(row, 9)), reach: NetworkReach(saved: Self.value(row, 10)),
                source: source)
            isFull = isFull || entries.count == Queue.maximumLength || !budget.take(draft.bytes)
            if isFull {
                guard isCut else {
                    (isCut, skipped, skippedItems) = (true, 0, [])
                    return try readItems(database)
                }
                skippedItems.append(id)
                continue
            }
            entries.append((rank, QueueItem(id: ItemID(row: id), draft: draft)))
        }
        entries.sort { ($0.rank, $0.item.id.number) < ($1.rank, $1.item.id.number) }
        saved.items = entries.map(\.item)
        ranks = Ranks(entries.map(\.rank))
        needsRenumbering = zip(ranks.values, ranks.values.dropFirst()).contains { $0 >= $1 }
    }

    private static func value<Value: DatabaseValueConvertible>(_ row: Row, _ column: Int) -> Value? {
        Value.fromDatabaseValue(row[column] as DatabaseValue)
    }

    private static func headers(_ text: String?) -> [String: String] {
        guard let text else { return [:] }
        do {
            return try JSONDecoder().decode([String: String].self, from: Data(text.utf8))
        } catch {
            return [:]
        }
    }

    private func values(_ database: Database, sql: String) throws -> [String: DatabaseValue] {
        let rows = try Row.fetchAll(database, sql: sql)
        return Dictionary(rows.map { (Self.value($0, 0) ?? "", $0[1] as DatabaseValue) }) { $1 }
    }
}
