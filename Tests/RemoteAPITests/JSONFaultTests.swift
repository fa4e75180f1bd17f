// SPDX-License-Identifier: Apache-2.0

import Testing
import Threading

@testable import RemoteAPI

@Suite struct JSONFaultTests {
    private func first(_ text: String) -> String? {
        guard case .repeatedMember(let name) = JSONFault.first(in: Array(text.utf8)) else { return nil }
        return name
    }

    @Test(arguments: ["[1,]", "{\"a\":1,}", "[{\"a\":[1 ,\n ] }]", "[,]"])
    func commaBeforeAClosingBracketIsFound(_ text: String) {
        #expect(JSONFault.first(in: Array(text.utf8)) == .strayComma)
    }

    @Test(arguments: ["[\",]\"]", "{\"a,\":\",}\"}", "[1,2]", "[[],[]]"])
    func otherCommasAreNone(_ text: String) {
        #expect(JSONFault.first(in: Array(text.utf8)) == nil)
    }

    @Test(arguments: ["{\"a\":1,}", "[1,]", "{}"])
    func otherEncodingsAreFound(_ text: String) {
        let units = Array(text.utf16)
        let little = units.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        let big = units.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
        for bytes in [little, big, [0xFF, 0xFE] + little, [0xFE, 0xFF] + big] {
            #expect(JSONFault.first(in: bytes) == .otherEncoding)
        }
    }

    /// The decoder would run out of stack.
    @Test(arguments: ["[", "{\"a\":", "[{\"a\":"])
    func nestingIsBounded(_ opening: String) {
        #expect(JSONFault.first(in: Array(String(repeating: opening, count: 500).utf8)) == .tooDeep)
        #expect(JSONFault.first(in: Array(String(repeating: opening, count: 16).utf8)) == nil)
    }

    @Test(arguments: [
        ("{\"a\":1,\"a\":2}", "a"), ("[{\"a\":1},{\"b\":{\"c\":0,\"c\":0}}]", "c"),
        ("{\"a\":{\"x\":1},\"b\":2,\"a\":3}", "a"), ("{\"\\u0061\":1,\"a\":2}", "a"),
        ("{\"a\":1,\"\\u0061\":2}", "a"), ("{\"\":1,\"\":2}", ""), ("{ \"a\" : [1,2,{}] , \"a\" : 1 }", "a"),
        ("{\"a\\\"\":1,\"b\":0,\"a\\\"\":2}", "a\""),
    ])
    func nameIsFound_whenItStandsTwice(_ text: String, _ name: String) {
        #expect(first(text) == name)
    }

    @Test(arguments: [
        "", "{}", "{\"a\":1,\"b\":2}", "[{\"a\":1},{\"a\":2}]", "{\"a\":{\"a\":{\"a\":1}}}",
        "{\"a\":\"a\",\"b\":\"a\"}", "[\"a\",\"a\"]", "{\"a\":[\"a\",\"a\"],\"b\":{\"a\":0}}",
        "{\"a\":\"{\\\"a\\\":1}\",\"b\":\"}\"}", "}}}{{{", "{\"a", "{\"a\\", "]]]\"a\",\"a\":", "{\"a\":1]\"a\":2}",
    ])
    func nothingIsFound_whenNamesDiffer_orItIsNoJSON(_ text: String) {
        #expect(first(text) == nil)
    }

    @Test func manyMembersAreCompared_withoutComparingEachWithEach() {
        let many = (0..<200_000).map { "\"k\($0)\":0" }.joined(separator: ",")
        #expect(first("{\(many)}") == nil)
        #expect(first("{\(many),\"k7\":0}") == "k7")
        #expect(first("{\"x\":{\(many)},\"k7\":0,\"x\":1}") == "x")
    }

    @Test func escapedNamesCostNoMore_thanOthers() {
        let object = "{" + (0..<16).map { "\"\\u0061\($0)\":0" }.joined(separator: ",") + "}"
        #expect(first("[" + Array(repeating: object, count: 20_000).joined(separator: ",") + "]") == nil)
    }

    @Test(arguments: [
        ("a\\u0062", "ab"), ("\\ud83d\\ude00", "😀"), ("\\n\\t\\\"\\/", "\n\t\"/"),
    ])
    func escapesAreResolved(_ text: String, _ meaning: String) {
        let bytes = Array(text.utf8)
        #expect(bytes.withUnsafeBufferPointer { JSONEscapes.resolved($0[...]) } == Array(meaning.utf8))
    }

    @Test(arguments: ["plain", "\\", "\\u00", "\\x", "\\ud83d", "\\ud83dx"])
    func whatIsNoEscape_isLeft(_ text: String) {
        let bytes = Array(text.utf8)
        #expect(bytes.withUnsafeBufferPointer { JSONEscapes.resolved($0[...]) } == nil)
    }

    @Test func depthCostsNoStack() {
        #expect(first(String(repeating: "[{\"a\":", count: 100_000)) == nil)
    }

    @Test func hundredThousandItemsAreLookedThroughQuickly() {
        let items = (0..<100_000).map { "{\"uri\":\"Artist/Album/\($0) - Some title.mp3\",\"title\":\"\($0)\"}" }
        let bytes = Array("{\"items\":[\(items.joined(separator: ","))]}".utf8)
        let began = MonotonicTime.now
        #expect(JSONFault.first(in: bytes) == nil)
        // Some 30 ms when optimized; the bound only tells linear from worse.
        #expect(MonotonicTime.now.seconds(since: began) < 10)
    }
}
