// SPDX-License-Identifier: Apache-2.0

import Playback
import Testing
import Service
import ServiceTesting

@testable import RemoteAPI

/// A long list is read element by element, with the same result.
@Suite struct JSONListTests {
    private func list(_ text: String) throws(Problem) -> Addition {
        try JSONBody(Array(text.utf8)).replacement()
    }

    private func problem(_ text: String) -> Problem? {
        do throws(Problem) {
            _ = try list(text)
            return nil
        } catch {
            return error
        }
    }

    private func uris(_ addition: Addition) -> [String] {
        addition.items.map { item in
            switch item {
            case .uri(let uri): uri
            case .media(let draft, _): "\(draft.uri) \(draft.title ?? "")"
            default: "other"
            }
        }
    }

    @Test(arguments: [0, 1, 255, 256, 257, 512, 1_000]) func everyItemIsRead_inOrder(count: Int) throws {
        let items = (0..<count).map {
            $0 % 7 == 3 ? #"{"uri":"\#($0)", "title":"[t, \"x\"]}"}"# : #" {"uri":"\#($0)"}"#
        }
        let addition = try list(#"{"play":true, "it\u0065ms" : [\#(items.joined(separator: ","))], "index":1}"#)
        #expect(uris(addition) == (0..<count).map { $0 % 7 == 3 ? "\($0) [t, \"x\"]}" : "\($0)" })
        #expect(addition.plays && addition.place == .replace(current: 1))
    }

    @Test(arguments: [3, 255, 256, 700]) func problems_nameTheIndexOfTheItem(index: Int) {
        var items = (0..<900).map { #"{"uri":"\#($0)"}"# }
        items[index] = #"{"uri":1}"#
        #expect(problem(#"{"items":[\#(items.joined(separator: ","))]}"#)?.member == "items[\(index)].uri")
        items[index] = "7"
        #expect(problem(#"{"items":[\#(items.joined(separator: ","))]}"#)?.member == "items[\(index)]")
        items[index] = #"{"uri":"x","headers":{"A":"b\u0001"}}"#
        #expect(problem(#"{"items":[\#(items.joined(separator: ","))]}"#)?.member == "items[\(index)].headers.A")
    }

    @Test(arguments: [
        #"{"items":[,]}"#, #"{"items":[{"uri":"a"},,{"uri":"b"}]}"#, #"{"items":[{"uri":"a"},]}"#,
        #"{"items":[{"uri":"a"} {"uri":"b"}]}"#, #"{"items":[{"uri":"a"}}"#, #"{"items":[{"uri":"a"}]"#,
        #"{"items":[{"uri":"a"}]]"#, #"{"items":[{"uri":"a"]}]}"#, #"{"items":[{"uri":"a"}]}x"#, #"{"items":[nul]}"#,
        #"{"items":[{"uri":"a"}],"items":[]}"#, #"{"items":[{"uri":"a"}] "play":true}"#, #"{"items":["#,
        #"{"items" []}"#,
    ])
    func invalidJSON_is400(text: String) {
        #expect(problem(text)?.status == 400)
    }

    @Test(arguments: [
        (#"{"items":null}"#, "items"), (#"{"items":{}}"#, "items"), (#"{"items":[null]}"#, "items[0]"), ("[]", ""),
    ])
    func otherTypes_areRefused(text: String, member: String) {
        let problem = problem(text)
        #expect(problem?.status == 422 && (problem?.member ?? "") == member)
    }

    private func taken(_ text: String) throws -> (elements: [String], rest: String) {
        var elements: [String] = []
        let rest = try JSONReader.read(Array(text.utf8), list: "items", atMost: 3) { element in
            elements.append("\(element.path) \(String(decoding: element.raw, as: UTF8.self))")
        }
        return (elements, rest.members.map { "\($0.name)=\($0.value.elements.count)" }.joined(separator: " "))
    }

    @Test(arguments: [
        (#"{"a":[1,2],"items":[3],"b":[4]}"#, ["items[0] 3"], "a=2 items=0 b=1"),
        (
            #"{"a":{"items":[1,2]},"items":[ 3 , "x"],"b":[[4],[5]]}"#, ["items[0] 3", "items[1] \"x\""],
            "a=0 items=0 b=2"
        ),
        (#"{"items":[ ]}"#, [], "items=0"), (#"{"items":{"items":[1]}}"#, [], "items=0"), ("[[1]]", [], ""),
    ])
    func onlyElementsOfTheListAreTaken(text: String, elements: [String], rest: String) throws {
        let found = try taken(text)
        #expect(found.elements == elements && found.rest == rest)
    }

    /// The cost of an element must be in proportion to its use.
    @Test func elements_areLimitedInBytesAndTokens() {
        func refusal(_ element: String) -> String? {
            let found = problem(#"{"items":[{"uri":"a"},\#(element)]}"#)
            return found.map { "\($0.status) \($0.code) \($0.member ?? "")" }
        }
        let tooLarge = "413 too-large items[1]"
        #expect(refusal(#"{"uri":"\#(String(repeating: "a", count: 300_000))"}"#) == tooLarge)
        #expect(refusal(#"{"uri":["\#(String(repeating: "a", count: 30_000_000))"]}"#) == tooLarge)
        #expect(refusal("[\(String(repeating: "0,", count: 5_000))0]") == tooLarge)
        #expect(refusal("{\((0..<2_048).map { "\"\($0)\":0" }.joined(separator: ","))}") == tooLarge)
        #expect(refusal(#"{"uri":"a","title":"\#(String(repeating: "b", count: 200_000))"}"#)?.hasPrefix("422") == true)
        let rest = problem(#"{"items":[], "play":[\#(String(repeating: "0,", count: 5_000))0]}"#)
        #expect(rest?.status == 413 && rest?.member == nil)
    }

    /// The limit does not depend on the list's length.
    @Test func theRest_hasALimitOfItsOwn() throws {
        let items = (0..<2_000).map { #"{"uri":"\#($0)\#(String(repeating: "a", count: 200))"}"# }
        #expect(try list(#"{"items":[\#(items.joined(separator: ","))],"play":true}"#).items.count == 2_000)
    }

    @Test func tooManyItems_areRefusedByTheirCount() {
        let items = String(repeating: "0,", count: Queue.maximumLength)
        #expect(problem(#"{"items":[\#(items)0]}"#)?.code == "queue-full")
        let problem = #expect(throws: Problem.self) {
            try PlaylistRequest(JSONBody(Array(#"{"items":[\#(items)0]}"#.utf8)), ScriptedPlayer())
        }
        #expect(problem?.code == "playlist-full" && problem?.detail == "A playlist holds at most 100000 entries.")
    }
}
