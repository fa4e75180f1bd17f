// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import GRDB
import Playback

/// Writes changes as rows, within a transaction of the caller.
struct StateWriter {
    /// The ranks of the saved items.
    var ranks: Ranks

    mutating func write(_ changes: [SavedChange], to database: Database) throws {
        // Only the last settings and position matter, and nothing of the queue before it was replaced.
        let replacement = changes.lastIndex { if case .queue(.replaced, _, _) = $0 { true } else { false } } ?? 0
        var settings: PlayerSettings?
        var position: SavedPosition??
        var numbers: (revision: QueueRevision, next: UInt64)?
        for (index, change) in changes.enumerated() {
            switch change {
            case .queue where index < replacement: continue
            case .queue(let change, let revision, let next):
                try write(change, to: database)
                numbers = (revision, next)
            case .settings(let new): settings = new
            case .position(let new): position = .some(new)
            case .note(let name, let text):
                try database.run("INSERT OR REPLACE INTO setting VALUES (?, ?)", ["note." + name, text])
            case .opening(let id): try set("opening", id.row.databaseValue, database)
            case .opened: try set("opening", .null, database)
            }
        }
        if let numbers {
            try set("revision", Int64(bitPattern: numbers.revision).databaseValue, database)
            try set("nextItemNumber", Int64(bitPattern: numbers.next).databaseValue, database)
        }
        if let position {
            try set("currentItem", (position?.itemID.row).databaseValue, database)
            try set("position", (position?.position).databaseValue, database)
        }
        if let settings {
            for row in settings.rows {
                try database.run("INSERT OR REPLACE INTO setting VALUES (?, ?)", [row.key, row.value])
            }
        }
    }

    private func set(_ key: String, _ value: DatabaseValue, _ database: Database) throws {
        try database.run("INSERT OR REPLACE INTO player VALUES (?, ?)", [key, value])
    }

    private mutating func write(_ change: QueueChange, to database: Database) throws {
        switch change {
        case .inserted(let items, let index):
            try insert(items, at: Array(index..<(index + items.count)), to: database)
        case .restored(let entries):
            try insert(entries.map(\.item), at: entries.map(\.index), to: database)
        case .removed(let entries):
            try ranks.remove(at: entries.map(\.index))
            let statement = try database.cachedStatement(sql: "DELETE FROM item WHERE id = ?")
            for entry in entries { try statement.execute(arguments: [entry.item.id.row]) }
        case .moved(let ids, let from, let to):
            try ranks.remove(at: from)
            switch try ranks.insert(at: to) {
            case .there(let new): try setRanks(new, of: ids, in: database)
            case .made(let new, let window, let others):
                try moveNeighbours(in: window, to: others, except: ids, database)
                try setRanks(new, of: ids, in: database)
            }
        case .reordered(_, let ids):
            guard ids.count == ranks.values.count else {
                throw InconsistentChange(description: "a new order has another length than the saved queue")
            }
            try setRanks(ranks.values, of: ids, in: database)
        case .replaced(_, let items):
            try database.execute(sql: "DELETE FROM item")
            ranks = Ranks(Ranks.fresh(count: items.count))
            try insertRows(Array(items), ranks.values, to: database)
        case .updated(_, let item):
            let rank = try database.numbers("SELECT rank FROM item WHERE id = ?", [item.id.row]).first
            guard let rank else { throw InconsistentChange(description: "an updated item is not in the saved queue") }
            try insertRows([item], [rank], to: database)
        }
    }

    private mutating func insert(_ items: [QueueItem], at indices: [Int], to database: Database) throws {
        switch try ranks.insert(at: indices) {
        case .there(let new): try insertRows(items, new, to: database)
        case .made(let new, let window, let others):
            try moveNeighbours(in: window, to: others, except: [], database)
            try insertRows(items, new, to: database)
        }
    }

    private func insertRows(_ items: [QueueItem], _ ranks: [Int64], to database: Database) throws {
        var plain = PlainRows(database)
        let full = try database.cachedStatement(
            sql: "INSERT OR REPLACE INTO item VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
        // Most items have the same source as their predecessor.
        var last: (source: ItemSource, text: String)?
        for (item, rank) in zip(items, ranks) {
            if let source = item.source {
                if last?.source !== source { last = (source, try source.saved()) }
            } else {
                last = nil
            }
            if item.isPlain {
                try plain.insert((item.id.row, rank, item.uri, last?.text))
                continue
            }
            let draft = item.draft
            let headers =
                draft.headers.isEmpty ? nil : String(decoding: try JSONEncoder().encode(draft.headers), as: UTF8.self)
            full.setUncheckedArguments([
                item.id.row, rank, draft.uri, draft.title, draft.artist, draft.album, draft.artworkURI,
                draft.beginTime == 0 ? nil : draft.beginTime, draft.loops == 0 ? nil : draft.loops, headers,
                draft.reach.saved, last?.text,
            ])
            try full.execute()
        }
        try plain.finish()
    }

    private func setRanks(_ ranks: [Int64], of ids: [ItemID], in database: Database) throws {
        let statement = try database.cachedStatement(sql: "UPDATE item SET rank = ? WHERE id = ?")
        for (id, rank) in zip(ids, ranks) {
            statement.setUncheckedArguments([rank, id.row])
            try statement.execute()
        }
    }

    /// Assigns new ranks to the rows whose ranks lie in `window`. Reads every row.
    private func moveNeighbours(
        in window: ClosedRange<Int64>, to ranks: [Int64], except moved: [ItemID], _ database: Database
    ) throws {
        let found = try Int64.fetchAll(
            database, sql: "SELECT id FROM item WHERE rank BETWEEN ? AND ? ORDER BY rank",
            arguments: [window.lowerBound, window.upperBound])
        let moved = Set(moved)
        let ids = found.map(ItemID.init(row:)).filter { !moved.contains($0) }
        guard ids.count == ranks.count else {
            throw InconsistentChange(description: "\(ids.count) saved items lie where \(ranks.count) were expected")
        }
        try setRanks(ranks, of: ids, in: database)
    }

    /// Rewrites all ranks.
    mutating func renumber(_ items: [QueueItem], in database: Database) throws {
        ranks = Ranks(Ranks.fresh(count: items.count))
        try setRanks(ranks.values, of: items.map(\.id), in: database)
    }
}

extension ItemID {
    /// The primary key of the item's row.
    var row: Int64 { Int64(bitPattern: number) }

    init(row: Int64) { self.init(number: UInt64(bitPattern: row)) }
}
