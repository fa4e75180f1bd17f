// SPDX-License-Identifier: Apache-2.0

import HTTP
import Testing

@Suite struct ByteRangeTests {
    @Test(
        arguments: [
            ("bytes=0-0", .part(ByteRange(offset: 0, length: 1))), ("bytes=5-", .part(ByteRange(offset: 5, length: 5))),
            ("bytes=-3", .part(ByteRange(offset: 7, length: 3))),
            ("bytes=-30", .part(ByteRange(offset: 0, length: 10))),
            ("bytes=4-99", .part(ByteRange(offset: 4, length: 6))), ("bytes=10-", .unsatisfiable),
            ("bytes=-0", .unsatisfiable), ("bytes=3-2", .whole), ("bytes=0-1,3-4", .whole), ("lines=0-1", .whole),
            ("bytes=a-b", .whole), ("bytes=-", .whole),
            ("bytes=0-99999999999999999999999", .part(ByteRange(offset: 0, length: 10))),
            ("bytes=99999999999999999999-", .unsatisfiable), ("bytes=99999999999999999999-5", .whole),
            ("bytes=-99999999999999999999", .part(ByteRange(offset: 0, length: 10))),
        ] as [(String, ByteRange.Outcome)])
    func resolves_RFC9110_14_1_2(field: String, expected: ByteRange.Outcome) {
        #expect(ByteRange.resolve(field, total: 10) == expected)
    }

    /// RFC 9110 sections 13.1.5 and 14.2.
    @Test(
        arguments: [
            ("GET", [("Range", "bytes=2-3")], true), ("HEAD", [("Range", "bytes=2-3")], false),
            ("GET", [("Range", "bytes=2-3"), ("Range", "bytes=4-5")], false),
            ("GET", [("Range", "bytes=2-3"), ("If-Range", "\"v1\"")], true),
            ("GET", [("Range", "bytes=2-3"), ("If-Range", "\"v2\"")], false),
            ("GET", [("Range", "bytes=2-3"), ("If-Range", "W/\"v1\"")], false),
            ("GET", [("Range", "bytes=2-3"), ("If-Range", "\"v1\""), ("If-Range", "\"v2\"")], false),
            ("GET", [], false),
        ] as [(String, [(String, String)], Bool)])
    func aRequestHasARange_unlessItsConditionFails(method: String, fields: [(String, String)], hasRange: Bool) {
        let request = HTTPRequest(method: HTTPMethod(rawValue: method), path: "/", headers: HTTPHeaders(fields))
        let part = ByteRange.Outcome.part(ByteRange(offset: 2, length: 2))
        #expect(request.range(total: 10, tag: EntityTag("v1")) == (hasRange ? part : .whole))
        let isConditional = request.headers.contains("If-Range")
        #expect(request.range(total: 10, tag: nil) == (hasRange && !isConditional ? part : .whole))
    }
}
