// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Store

@Suite struct RanksTests {
    @Test func insert_keepsTheOthers_whileThereIsRoom() throws {
        var ranks = Ranks(Ranks.fresh(count: 4))
        guard case .there(let new) = try ranks.insert(at: [0, 2, 3, 7]) else { return #expect(Bool(false), "no room") }
        #expect(new.count == 4)
        #expect(ranks.values == ranks.values.sorted())
        #expect(Set(ranks.values).count == 8)
        #expect(Set(Ranks.fresh(count: 4)).isSubset(of: ranks.values))
    }

    @Test func insert_renumbers_whenTheGapIsExhausted() throws {
        var ranks = Ranks([5, 6, 7])
        let room = Ranks.Room.made(
            given: [1 << 32, 3 << 32], window: 5...7, neighbours: [0, 2 << 32, 4 << 32])
        #expect(try ranks.insert(at: [1, 3]) == room)
        #expect(ranks.values == Ranks.fresh(count: 5))
    }

    @Test func insert_movesFewNeighbours_whenOneGapIsExhausted() throws {
        var ranks = Ranks(Ranks.fresh(count: 10_000))
        var moved = 0
        for _ in 0..<2000 {
            let before = ranks.values
            switch try ranks.insert(at: [5000]) {
            case .there(let given): #expect(given == [ranks.values[5000]])
            case .made(let given, let window, let neighbours):
                moved += neighbours.count
                #expect(given == [ranks.values[5000]])
                #expect(neighbours.count == before.count { window.contains($0) })
            }
            #expect(ranks.values.count == before.count + 1)
        }
        #expect(zip(ranks.values, ranks.values.dropFirst()).allSatisfy { $0 < $1 })
        #expect(moved > 0 && moved < 100 * 2000)
    }

    @Test func insert_movesAll_whenAllLieClose() throws {
        var ranks = Ranks([5, 6])
        #expect(try ranks.insert(at: [1]) == .made(given: [1 << 32], window: 5...6, neighbours: [0, 2 << 32]))
        #expect(ranks.values == Ranks.fresh(count: 3))
    }

    @Test func indicesOutside_areRefused() {
        var ranks = Ranks([1])
        #expect(throws: InconsistentChange.self) { try ranks.remove(at: [1]) }
        #expect(throws: InconsistentChange.self) { try ranks.insert(at: [2]) }
        #expect(throws: InconsistentChange.self) { try ranks.insert(at: [-1]) }
    }
}
