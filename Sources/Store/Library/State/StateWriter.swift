// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import GRDB
import Playback

/// Turns changes into row writes; lives within one transaction at a time. The ranks are those of the rows.
struct StateWriter {
    var ranks: Ranks

    mutating func write(_ changes: [SavedChange], to database: Database) throws {
        // Of settings and positions only the last ones count.
        var settings: PlayerSettings?
        var position: SavedPosition??
        var numbers: (revision: QueueRevision, next: UInt64)?
        for change in changes {
            switch change {
            case .queue(let change, let revision, let next):
                try write(change, to: database)
                numbers = (revision, next)
            case .settings(let new): settings = new
            case .position(let new): position = .some(new)
            case .note(let name, let text):
                try database.cachedStatement(sql: "INSERT OR REPLACE INTO setting VALUES (?, ?)")
                    .execute(arguments: ["note." + name, text])
            case .opening(let id): try set("opening", Int64(bitPattern: id.number).databaseValue, database)
            case .opened: try set("opening", .null, database)
            }
        }
        if let numbers {
            try set("revision", Int64(bitPattern: numbers.revision).databaseValue, database)
            try set("nextItemNumber", Int64(bitPattern: numbers.next).databaseValue, database)
        }
        if let position {
            let id = position.map { Int64(bitPattern: $0.itemID.number) }
            try set("currentItem", id.databaseValue, database)
            try set("position", (position?.position).databaseValue, database)
        }
        if let settings {
            let statement = try database.cachedStatement(sql: "INSERT OR REPLACE INTO setting VALUES (?, ?)")
            for row in settings.rows { try statement.execute(arguments: [row.key, row.value]) }
        }
    }

    private func set(_ key: String, _ value: DatabaseValue, _ database: Database) throws {
        try database.cachedStatement(sql: "INSERT OR REPLACE INTO player VALUES (?, ?)")
            .execute(arguments: [key, value])
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
            for entry in entries { try statement.execute(arguments: [Int64(bitPattern: entry.item.id.number)]) }
        case .moved(let ids, let from, let to):
            try ranks.remove(at: from)
            switch try ranks.insert(at: to) {
            case .there(let new): try setRanks(new, of: ids, in: database)
            case .made(let new, let window, let others):
                try moveNeighbours(in: window, to: others, except: ids, database)
                try setRanks(new, of: ids, in: database)
            case .renumbered:
                var order = try savedOrder(count: ranks.values.count, database)
                for index in from.reversed() { order.remove(at: index) }
                for (id, index) in zip(ids, to) { order.insert(id, at: index) }
                try setRanks(ranks.values, of: order, in: database)
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
            let rank = try Int64.fetchOne(
                database.cachedStatement(sql: "SELECT rank FROM item WHERE id = ?"),
                arguments: [Int64(bitPattern: item.id.number)])
            guard let rank else { throw InconsistentChange(description: "an updated item is not in the saved queue") }
            try insertRows([item], [rank], to: database)
        }
    }

    private mutating func insert(_ items: [QueueItem], at indices: [Int], to database: Database) throws {
        let count = ranks.values.count
        switch try ranks.insert(at: indices) {
        case .there(let new): try insertRows(items, new, to: database)
        case .made(let new, let window, let others):
            try moveNeighbours(in: window, to: others, except: [], database)
            try insertRows(items, new, to: database)
        case .renumbered:
            var order = try savedOrder(count: count, database)
            for (item, index) in zip(items, indices) { order.insert(item.id, at: index) }
            try insertRows(items, indices.map { ranks.values[$0] }, to: database)
            try setRanks(ranks.values, of: order, in: database)
        }
    }

    private func insertRows(_ items: [QueueItem], _ ranks: [Int64], to database: Database) throws {
        var plain = PlainRows(database)
        let full = try database.cachedStatement(
            sql: "INSERT OR REPLACE INTO item VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
        // Most items have the source of the one before.
        var last: (source: ItemSource, text: String)?
        for (item, rank) in zip(items, ranks) {
            if let source = item.source {
                if last?.source !== source { last = (source, try source.saved()) }
            } else {
                last = nil
            }
            let id = Int64(bitPattern: item.id.number)
            if item.isPlain {
                try plain.insert((id, rank, item.uri, last?.text))
                continue
            }
            let draft = item.draft
            let headers =
                draft.headers.isEmpty ? nil : String(decoding: try JSONEncoder().encode(draft.headers), as: UTF8.self)
            full.setUncheckedArguments([
                id, rank, draft.uri, draft.title, draft.artist, draft.album, draft.artworkURI,
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
            statement.setUncheckedArguments([rank, Int64(bitPattern: id.number)])
            try statement.execute()
        }
    }

    /// Gives the rows whose ranks lie in `window` new ones. Finding them is a look at every row, but few are written.
    private func moveNeighbours(
        in window: ClosedRange<Int64>, to ranks: [Int64], except moved: [ItemID], _ database: Database
    ) throws {
        let found = try Int64.fetchAll(
            database, sql: "SELECT id FROM item WHERE rank BETWEEN ? AND ? ORDER BY rank",
            arguments: [window.lowerBound, window.upperBound])
        let moved = Set(moved)
        let ids = found.map { ItemID(number: UInt64(bitPattern: $0)) }.filter { !moved.contains($0) }
        guard ids.count == ranks.count else {
            throw InconsistentChange(
                description: "\(ids.count) saved items lie where \(ranks.count) were expected")
        }
        try setRanks(ranks, of: ids, in: database)
    }

    private func savedOrder(count: Int, _ database: Database) throws -> [ItemID] {
        let ids = try Int64.fetchAll(database, sql: "SELECT id FROM item ORDER BY rank")
        guard ids.count == count else {
            throw InconsistentChange(
                description: "the saved queue has \(ids.count) rows instead of \(count)")
        }
        return ids.map { ItemID(number: UInt64(bitPattern: $0)) }
    }

    /// Writes every rank anew.
    mutating func renumber(_ items: [QueueItem], in database: Database) throws {
        ranks = Ranks(Ranks.fresh(count: items.count))
        try setRanks(ranks.values, of: items.map(\.id), in: database)
    }
}
