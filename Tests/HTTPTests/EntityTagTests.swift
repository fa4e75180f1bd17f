// SPDX-License-Identifier: Apache-2.0

import HTTP
import Testing

@Suite struct EntityTagTests {
    @Test func comparesStrongly_RFC9110_8_8_3_2() {
        let weak = EntityTag("1", weak: true)
        let strong = EntityTag("1")
        #expect(!weak.matchesStrongly(weak))
        #expect(!weak.matchesStrongly(strong))
        #expect(strong.matchesStrongly(strong))
    }

    @Test func parsesLists_withCommasInTags() {
        #expect(
            EntityTagCondition(parsing: " \"a,b\" , W/\"c\",, \"\"")
                == .tags([EntityTag("a,b"), EntityTag("c", weak: true), EntityTag("")]))
        #expect(EntityTagCondition(parsing: " ,, \"a\",") == .tags([EntityTag("a")]))
        #expect(EntityTagCondition(parsing: "*") == .any)
    }

    @Test(arguments: ["", ",", "a", "\"a", "\"a\" \"b\"", "w/\"a\"", "\"a\", b", "\"a b\""])
    func isNil_whenMalformed(text: String) { #expect(EntityTagCondition(parsing: text) == nil) }

    @Test func decidesPreconditions_RFC9110_13_1() {
        for (field, refuses) in [
            ("*", true), ("W/\"r1\"", true), ("\"r2\", \"r1\"", true), ("\"r2\"", false), ("r1", false), (nil, nil),
        ] as [(String?, Bool?)] {
            let headers = HTTPHeaders(field.map { [("If-None-Match", $0)] } ?? [])
            #expect(headers.ifNoneMatchRefuses(EntityTag("r1")) == refuses)
        }
    }
}
