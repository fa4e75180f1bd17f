// SPDX-License-Identifier: Apache-2.0

import HTTP
import Testing

@Suite struct EntityTagTests {
    @Test func comparesStronglyAndWeakly_RFC9110_8_8_3_2() {
        let weak = EntityTag("1", weak: true)
        let strong = EntityTag("1")
        #expect(!weak.matchesStrongly(weak) && weak.matchesWeakly(weak))
        #expect(!weak.matchesStrongly(strong) && weak.matchesWeakly(strong))
        #expect(strong.matchesStrongly(strong))
        #expect(!strong.matchesWeakly(EntityTag("2")))
    }

    @Test func parsesLists_withCommasInTags() {
        #expect(
            EntityTagCondition(parsing: " \"a,b\" , W/\"c\",, \"\"")
                == .tags([EntityTag("a,b"), EntityTag("c", weak: true), EntityTag("")]))
        #expect(EntityTagCondition(parsing: "*") == .any)
    }

    @Test(arguments: ["", "a", "\"a", "\"a\" \"b\"", "w/\"a\"", "\"a\", b", "\"a b\""])
    func isNil_whenMalformed(text: String) { #expect(EntityTagCondition(parsing: text) == nil) }

    @Test func decidesPreconditions_RFC9110_13_1() {
        let current = EntityTag("r1")
        #expect(!EntityTagCondition.any.allowsIfNoneMatch(current: current))
        #expect(!EntityTagCondition.tags([EntityTag("r1", weak: true)]).allowsIfNoneMatch(current: current))
        #expect(EntityTagCondition.tags([EntityTag("r2")]).allowsIfNoneMatch(current: current))
    }
}
