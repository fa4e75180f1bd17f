// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import RemoteAPI

@Suite struct JSONReaderTests {
    private func error(_ bytes: [UInt8]) -> JSONError? {
        do throws(JSONError) {
            _ = try JSONReader.read(bytes, limits: JSONLimits(bytes: .max, tokens: .max))
            return nil
        } catch {
            return error
        }
    }

    private func reason(_ text: String) -> JSONError.Reason? { error(Array(text.utf8))?.reason }

    private func node(_ text: String) throws -> JSONNode { try JSONReader.read(Array(text.utf8)) }

    // MARK: Syntax

    @Test(arguments: [
        "0", "-0", "1", "-1.5e+10", "1E5", "0.0", "true", "false", "null", "\"\"", "{}", "[]", " [ 1 , 2 ]\r\n\t",
        "[[],[]]", "[\",]\"]", "{\"a,\":\",}\"}", "{\"a\":{\"a\":{\"a\":1}}}", "[{\"a\":1},{\"a\":2}]", "[\"a\",\"a\"]",
        "1e999", "9223372036854775808", "\"\u{7f}\u{e9}\u{1F600}\"", "\u{FEFF}{}", "{\"\":0}",
    ])
    func validText_isAccepted(_ text: String) {
        #expect(reason(text) == nil)
    }

    @Test(arguments: [
        "{", "[", "\"", "\"a", "\"\\", "\"\\u12", "{\"a", "{\"a\"", "{\"a\":", "{\"a\":1", "[1", "[1,", "t", "nul", " ",
        "",
    ])
    func incompleteText_isRejected(_ text: String) {
        let found = reason(text)
        #expect(found == .endOfText || found == .escape)
    }

    @Test(arguments: ["[1,]", "{\"a\":1,}", "[{\"a\":[1 ,\n ] }]", "[,]", "[1,,2]", "{,}", "[,1]", "{\"a\":,}", ","])
    func strayComma_isRejected(_ text: String) {
        #expect(reason(text) == .strayComma)
    }

    @Test(arguments: [
        "NaN", "Infinity", "-Infinity", "+1", ".5", "1.", "01", "-01", "-", "1e", "1e+", "0x10", "1_000", "tru", "True",
        "nil", "'a'", "{a:1}", "{1:1}", "[1 2]", "{\"a\" 1}", "{\"a\":1 \"b\":2}", "[1}", "{\"a\":1]", "]", "}",
        "}}}{{{", "{}{}", "1 2", "[] x", "// no", "[1]/**/", "\"\t\"", "\"\n\"", "\"\\x\"", "\"\\u12g4\"",
        "\"\\ud83d\"", "\"\\ud83dx\"", "\"\\ude00\"", "\"\\ud83d\\u0041\"", "{\"a\":undefined}",
    ])
    func invalidText_isRejected(_ text: String) {
        #expect(reason(text) != nil)
    }

    @Test(arguments: ["{\"a\":1,}", "[1,]", "{}", "1"])
    func otherEncodings_areRejected(_ text: String) {
        let units = Array(text.utf16)
        let little = units.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        let big = units.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
        for bytes in [little, big, [0xFF, 0xFE] + little, [0xFE, 0xFF] + big] {
            #expect(error(bytes)?.reason == .otherEncoding)
        }
    }

    @Test(
        arguments: [
            [0x80], [0xC3], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF8, 0x88], [0xF4, 0x90, 0x80, 0x80], [0xFF],
        ] as [[UInt8]])
    func invalidUTF8_isRejected(_ bytes: [UInt8]) {
        #expect(error([0x22, 0x61] + bytes + [0x22]) == JSONError(reason: .notUTF8, offset: 2))
    }

    @Test(arguments: ["[", "{\"a\":", "[{\"a\":"])
    func nestingIsBounded(_ opening: String) {
        #expect(reason(String(repeating: opening, count: 100_000)) == .tooDeep)
        #expect(reason(String(repeating: opening, count: 16)) == .endOfText)
    }

    // MARK: Names

    @Test(arguments: [
        ("{\"a\":1,\"a\":2}", "a"), ("[{\"a\":1},{\"b\":{\"c\":0,\"c\":0}}]", "c"),
        ("{\"a\":{\"x\":1},\"b\":2,\"a\":3}", "a"), ("{\"\\u0061\":1,\"a\":2}", "a"),
        ("{\"a\":1,\"\\u0061\":2}", "a"), ("{\"\":1,\"\":2}", ""), ("{ \"a\" : [1,2,{}] , \"a\" : 1 }", "a"),
        ("{\"a\\\"\":1,\"b\":0,\"a\\\"\":2}", "a\""),
    ])
    func repeatedMember_isRejected(_ text: String, _ name: String) {
        #expect(reason(text) == .repeatedMember(name))
    }

    @Test func manyMembersAreCompared_inLinearTime() {
        let many = (0..<100_000).map { "\"k\($0)\":0" }.joined(separator: ",")
        #expect(reason("{\(many)}") == nil)
        #expect(reason("{\(many),\"k7\":0}") == .repeatedMember("k7"))
        #expect(reason("{\"x\":{\(many)},\"k7\":0,\"x\":1}") == .repeatedMember("x"))
    }

    // MARK: Errors

    @Test(arguments: [
        ("{\"items\":[{\"uri\":\"a\"},{\"uri\":}]}", 29, "items[1].uri"), ("{\"a\":1,}", 7, ""),
        ("[[1,2],[3,x]]", 10, "[1]"), ("{\"a\":{\"b\":[0,{\"c\":tru}]}}", 21, "a.b[1].c"), ("{\"a\":1}x", 7, ""),
    ])
    func errorsNameTheirPlace(_ text: String, _ offset: Int, _ path: String) {
        let found = error(Array(text.utf8))
        #expect(found?.offset == offset && found?.path == path)
        #expect(found?.text.contains("byte \(offset)") == true)
    }

    // MARK: Values

    @Test(
        arguments: [
            ("0", 0), ("-0", 0), ("1.0", 1), ("1e3", 1000), ("9223372036854775807", .max),
            ("-9223372036854775808", .min),
            ("9223372036854775808", nil), ("1e999", nil), ("1.5", nil), ("1e19", nil), ("\"1\"", nil), ("true", nil),
        ] as [(String, Int?)])
    func integersAreExact(_ text: String, _ value: Int?) throws {
        #expect(try node(text).integer == value)
    }

    @Test(
        arguments: [
            ("-1.5", -1.5), ("1e999", .infinity), ("-1e999", -.infinity), ("1e-999", 0),
            ("9223372036854775808", 0x1p63), ("0.1", 0.1), ("null", nil),
        ] as [(String, Double?)])
    func numbersNeverTrap(_ text: String, _ value: Double?) throws {
        #expect(try node(text).number == value)
    }

    @Test(arguments: [
        ("a\\u0062", "ab"), ("\\ud83d\\ude00", "😀"), ("\\n\\t\\\"\\/\\\\\\b\\f\\r", "\n\t\"/\\\u{8}\u{c}\r"),
        ("\\u0000", "\0"), ("plain", "plain"), ("é\\u00e9", "éé"),
    ])
    func escapesAreResolved(_ text: String, _ meaning: String) throws {
        #expect(try node("\"\(text)\"").string == meaning)
        #expect(try node("{\"\(text)\":1}").members.map(\.name) == [meaning])
    }

    @Test func valuesKnowTheirPath_andTheirBytes() throws {
        let json = try node(#"{"a":[1,{"b" : [ "x" ]}],"c":{"d":null}}"#)
        let list = json.members[0].value
        let inner = list.elements[1].members[0].value
        #expect(inner.path == "a[1].b" && inner.elements[0].path == "a[1].b[0]")
        #expect(String(decoding: inner.raw, as: UTF8.self) == #"[ "x" ]"#)
        #expect(inner.elements[0].raw == Array(#""x""#.utf8))
        #expect(json.members[1].value.members[0].value.path == "c.d")
        #expect(json.path.isEmpty && json.elements.isEmpty && list.members.isEmpty)
    }
}
