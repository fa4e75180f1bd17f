// SPDX-License-Identifier: Apache-2.0

import HTTP
import Testing

/// RFC 9112 section 6.
@Suite struct BodyFramingTests {
    @Test(
        arguments: [
            ([], [], BodyFraming.none), (["0"], [], .length(0)), ([" 12 "], [], .length(12)),
            (["7", "7"], [], .length(7)),
            ([], ["chunked"], .chunked), ([], ["CHUNKED "], .chunked), ([], ["gzip"], .unknownCoding),
            ([], ["gzip, chunked"], .unknownCoding), ([], ["chunked", "chunked"], .unknownCoding),
        ] as [([String], [String], BodyFraming)])
    func lengthIsKnown_whenTheFieldsAgree(_ lengths: [String], _ codings: [String], _ expected: BodyFraming) {
        #expect(BodyFraming(lengths: lengths, codings: codings) == expected)
    }

    @Test(
        arguments: [
            (["5"], ["chunked"]), (["0"], ["chunked"]), (["5", "6"], []), (["5, 5"], []), (["-1"], []), (["+1"], []),
            (["0x10"], []), ([""], []), (["5x"], []), (["99999999999999999999999"], []), (["1", "1", "2"], []),
        ] as [([String], [String])])
    func ambiguousFieldsAreMalformed(_ lengths: [String], _ codings: [String]) {
        guard case .malformed = BodyFraming(lengths: lengths, codings: codings) else {
            return #expect(Bool(false), "\(lengths) \(codings) was accepted")
        }
    }

    @Test func transferCodingIsMalformed_inHTTP10() {
        #expect(BodyFraming(lengths: ["5"], codings: [], isHTTP10: true) == .length(5))
        guard case .malformed = BodyFraming(lengths: [], codings: ["chunked"], isHTTP10: true) else {
            return #expect(Bool(false), "it was accepted")
        }
    }
}
