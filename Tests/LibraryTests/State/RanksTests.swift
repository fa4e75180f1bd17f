// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Library

@Suite struct RanksTests {
    @Test func insert_keepsTheOthers_whileThereIsRoom() throws {
        var ranks = Ranks(Ranks.fresh(count: 4))
        let new = try #require(try ranks.insert(at: [0, 2, 3, 7]))
        #expect(new.count == 4)
        #expect(ranks.values == ranks.values.sorted())
        #expect(Set(ranks.values).count == 8)
        #expect(Set(Ranks.fresh(count: 4)).isSubset(of: ranks.values))
    }

    @Test func insert_renumbers_whenTheGapIsExhausted() throws {
        var ranks = Ranks([5, 6])
        #expect(try ranks.insert(at: [1]) == nil)
        #expect(ranks.values == Ranks.fresh(count: 3))
    }

    @Test func indicesOutside_areRefused() {
        var ranks = Ranks([1])
        #expect(throws: InconsistentChange.self) { try ranks.remove(at: [1]) }
        #expect(throws: InconsistentChange.self) { try ranks.insert(at: [2]) }
        #expect(throws: InconsistentChange.self) { try ranks.insert(at: [-1]) }
    }
}
