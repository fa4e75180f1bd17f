// SPDX-License-Identifier: Apache-2.0

import Kernel
import Testing

@Suite struct RecentlyUsedTests {
    @Test func leastRecentlyUsed_isEvictedFirst() {
        var kept = RecentlyUsed<String, Int>(capacity: 3)
        kept.insert(1, for: "a", size: 1)
        kept.insert(2, for: "b", size: 1)
        kept.insert(3, for: "c", size: 1)
        #expect(kept["a"] == 1)
        kept.insert(4, for: "d", size: 1)
        #expect(kept["b"] == nil)
        #expect(kept["a"] == 1 && kept["c"] == 3 && kept["d"] == 4)
    }

    @Test func sizesCount_andTooLargeValuesAreNotKept() {
        var kept = RecentlyUsed<String, Int>(capacity: 10)
        kept.insert(1, for: "a", size: 6)
        kept.insert(2, for: "b", size: 6)
        #expect(kept["a"] == nil && kept["b"] == 2)
        kept.insert(3, for: "c", size: 11)
        #expect(kept["c"] == nil && kept["b"] == 2)
        kept.insert(4, for: "b", size: 10)
        #expect(kept["b"] == 4)
    }
}
