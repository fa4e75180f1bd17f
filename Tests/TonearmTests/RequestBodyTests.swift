// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import tonearm

/// The body as JSON, with sorted members.
func sortedJSON(_ body: RequestBody) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return String(decoding: try encoder.encode(body), as: UTF8.self)
}

@Suite struct RequestBodyTests {
    @Test func nilMembers_areLeftOut() throws {
        let (number, texts): (Double?, [String]?) = (nil, ["x"])
        #expect(try sortedJSON(["a": number, "b": 2, "c": texts, "d": nil]) == #"{"b":2,"c":["x"]}"#)
    }

    @Test func null_isSent() throws {
        #expect(try sortedJSON(["a": RequestBody.Null()]) == #"{"a":null}"#)
        #expect(try sortedJSON(RequestBody("id", .none)) == #"{"id":null}"#)
    }

    @Test func dottedKey_namesAMemberOfAnObject() throws {
        #expect(try sortedJSON(RequestBody("limiter.ceiling", .number(-1))) == #"{"limiter":{"ceiling":-1}}"#)
        #expect(try sortedJSON(RequestBody("mono", .flag(true))) == #"{"mono":true}"#)
    }
}
