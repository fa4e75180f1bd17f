// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import tonearm

@Suite struct RequestBodyTests {
    private func json(_ body: RequestBody) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return String(decoding: try encoder.encode(body), as: UTF8.self)
    }

    @Test func membersThatAreNil_areLeftOut() throws {
        let (number, texts): (Double?, [String]?) = (nil, ["x"])
        #expect(try json(["a": number, "b": 2, "c": texts, "d": nil]) == #"{"b":2,"c":["x"]}"#)
    }

    @Test func nullIsSent() throws {
        #expect(try json(["a": RequestBody.Null()]) == #"{"a":null}"#)
        #expect(try json(RequestBody("id", .none)) == #"{"id":null}"#)
    }

    @Test func aKeyNamesAMemberOfAnObject() throws {
        #expect(try json(RequestBody("limiter.ceiling", .number(-1))) == #"{"limiter":{"ceiling":-1}}"#)
        #expect(try json(RequestBody("mono", .flag(true))) == #"{"mono":true}"#)
    }
}
