// SPDX-License-Identifier: Apache-2.0

import Kernel
import Testing

@testable import Playback

/// A hundred thousand random edits, compared with arrays that are copied whole, and with a mirror that only sees changes.
@Suite struct QueueRandomEditsTests {
    struct Model {
        var entries: [ModelEntry] = []
        var past: [[ModelEntry]] = []
        var future: [[ModelEntry]] = []

        mutating func change(to new: [ModelEntry]) {
            guard new != entries else { return }
            past.append(entries)
            if past.count > 100 { past.removeFirst() }
            future = []
            entries = new
        }
    }

    struct ModelEntry: Equatable {
        var id: ItemID
        var title: String?
    }

    @Test func everyEdit_agreesWithTheModel() throws {
        var random = SeededGenerator(seed: 20)
        var fixture = try QueueFixture()
        var model = Model()
        var mirror: [ModelEntry] = []
        var ended = 0
        for step in 0..<100_000 {
            let before = fixture.queue.revision
            let change = try edit(&fixture, &model, using: &random)
            if let change { Self.follow(change, &mirror) }
            let found = fixture.queue.window(offset: 0, limit: .max).items.map(Self.entry)
            guard found == model.entries, mirror == found, Set(found.map(\.id)).count == found.count,
                fixture.queue.table.count == found.count,
                fixture.queue.revision == before + (change == nil ? 0 : 1),
                fixture.queue.canUndo == !model.past.isEmpty, fixture.queue.canRedo == !model.future.isEmpty
            else { return #expect(Bool(false), "step \(step): \(found) instead of \(model.entries), mirror \(mirror)") }
            let order = Queue.Order(
                repeats: [.off, .one, .all].randomElement(using: &random)!, shuffle: step / 500 % 2 == 0)
            let successor = fixture.queue.successor(order, using: &random)
            if successor == nil { ended += 1 }
            guard successor.map({ fixture.queue.item($0) != nil }) ?? true,
                fixture.queue.successor(order, using: &random) == successor
            else { return #expect(Bool(false), "step \(step): \(String(describing: successor)) follows") }
            if Int.random(in: 0..<3, using: &random) == 0 { fixture.queue.setCurrent(successor) }
            guard
                fixture.queue.currentID.map({ fixture.queue.order.firstIndex(of: $0) == fixture.queue.currentIndex })
                    ?? true,
                (0...fixture.queue.count).contains(fixture.queue.place)
            else {
                return #expect(Bool(false), "step \(step): current \(String(describing: fixture.queue.currentIndex))")
            }
        }
        #expect(ended > 100)
    }

    private func edit(
        _ fixture: inout QueueFixture, _ model: inout Model, using random: inout SeededGenerator
    ) throws -> QueueChange? {
        let count = model.entries.count
        let some = model.entries.shuffled(using: &random).prefix(Int.random(in: 0...6, using: &random)).map(\.id)
        let chosen = Set(some)
        let new = Array(repeating: ItemDraft(uri: "n"), count: Int.random(in: 0...(count > 40 ? 1 : 5), using: &random))
        let ids = new.indices.map { ModelEntry(id: ItemID(number: fixture.queue.nextItemNumber + UInt64($0))) }
        var entries = model.entries
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<25:
            let index = Int.random(in: 0...count, using: &random)
            entries.insert(contentsOf: ids, at: index)
            model.change(to: entries)
            return try fixture.apply(.insert(new, at: index == count ? .end : .index(index)))
        case 25..<45:
            let rest = entries.filter { !chosen.contains($0.id) }
            let position = Int.random(in: 0...rest.count, using: &random)
            model.change(to: rest[..<position] + entries.filter { chosen.contains($0.id) } + rest[position...])
            return try fixture.apply(.move(some, to: position))
        case 45..<60:
            model.change(to: entries.filter { !chosen.contains($0.id) })
            return try fixture.apply(.remove(some))
        case 60..<65:
            guard let index = entries.indices.randomElement(using: &random) else { return nil }
            var patch = ItemPatch()
            let title = [nil, "x", "y"].randomElement(using: &random)!
            patch.title = .some(title)
            entries[index].title = title
            model.change(to: entries)
            return try fixture.apply(.update(entries[index].id, patch))
        case 65:
            model.change(to: ids)
            return try fixture.apply(.replace(new, startIndex: nil))
        case 66:
            model.change(to: [])
            return try fixture.apply(.clear)
        case 67..<70:
            let change = try fixture.apply(.shuffle)
            if case .reordered(_, let order) = change {
                #expect(fixture.queue.currentID == nil || order.first == fixture.queue.currentID)
                model.change(to: order.map { id in entries.first { $0.id == id }! })
            }
            return change
        case 70..<86:
            guard let last = model.past.popLast() else {
                #expect(throws: PlaybackError.nothingToUndo) { try fixture.apply(.undo) }
                return nil
            }
            model.future.append(entries)
            model.entries = last
            return try fixture.apply(.undo)
        default:
            guard let last = model.future.popLast() else {
                #expect(throws: PlaybackError.nothingToRedo) { try fixture.apply(.redo) }
                return nil
            }
            model.past.append(entries)
            model.entries = last
            return try fixture.apply(.redo)
        }
    }

    private static func entry(_ item: QueueItem) -> ModelEntry { ModelEntry(id: item.id, title: item.draft.title) }

    /// Applies a change like a client.
    private static func follow(_ change: QueueChange, _ mirror: inout [ModelEntry]) {
        switch change {
        case .inserted(let items, let index): mirror.insert(contentsOf: items.map(entry), at: index)
        case .removed(let entries): for entry in entries.reversed() { mirror.remove(at: entry.index) }
        case .restored(let entries): for each in entries { mirror.insert(entry(each.item), at: each.index) }
        case .moved(_, let from, let to):
            let moved = from.map { mirror[$0] }
            for index in from.reversed() { mirror.remove(at: index) }
            for (entry, index) in zip(moved, to) { mirror.insert(entry, at: index) }
        case .reordered(_, let ids): mirror = ids.map { id in mirror.first { $0.id == id }! }
        case .replaced(_, let items): mirror = items.map(entry)
        case .updated(let old, let new): mirror[mirror.firstIndex { $0.id == old.id }!] = entry(new)
        }
    }
}
