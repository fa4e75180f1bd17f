// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Playback
import Service
import Testing

@testable import RemoteAPI

/// A contract in the repository.
func contract(_ name: String) throws -> [Substring] {
    var root = URL(fileURLWithPath: #filePath)
    for _ in 0..<3 { root.deleteLastPathComponent() }
    let text = try String(contentsOf: root.appending(path: name), encoding: .utf8)
    return text.split(separator: "\n", omittingEmptySubsequences: false)
}

/// The contracts list exactly the values of the code.
@Suite struct ContractTests {
    /// The words of the first `[...]` in a line.
    private func list(_ line: Substring) -> [String] {
        line.drop { $0 != "[" }.dropFirst().prefix { $0 != "]" }.split(separator: ",")
            .map { String($0.drop { $0 == " " || $0 == "\"" }.prefix { $0 != "\"" }) }
    }

    @Test func formatsOfRecordingsAndRenders() throws {
        let recorded = RecordedFormat.allCases.map(\.rawValue)
        let made = RecordingSettings.Container.allCases.map(\.rawValue)
        let rendered = made.filter { $0 != "mp3" }
        let lines = try contract("openapi.yaml").filter {
            $0.trimmingPrefix { $0 == " " }.hasPrefix("format: {enum: [wav")
        }
        #expect(lines.map(list) == [made + ["null"], made, recorded, rendered])
        #expect(RecordingSettings.Container.allCases.map { RecordedFormat($0).rawValue } == made)
    }

    @Test func reasonsOfTheStatus() throws {
        let lines = try contract("openapi.yaml")
        let start = try #require(lines.firstIndex(of: "    StatusReason:"))
        let line = try #require(lines[start...].prefix(4).first { $0.contains("enum: [") })
        #expect(list(line) == StatusReason.allCases.map(\.rawValue) + ["null"])
    }

    private static let values: [(String, String, [String])] = [
        ("openapi.yaml", "Status: {type: string", PlayerStatus.allCases.map(\.rawValue)),
        ("openapi.yaml", "category: {type: string", SessionCategory.allCases.map(\.rawValue)),
        ("openapi.yaml", "mode: {type: string, enum: [\"default", SessionMode.allCases.map(\.rawValue)),
        ("asyncapi.yaml", "reason: {enum: [unknown", RouteReason.allCases.map(\.rawValue)),
        ("asyncapi.yaml", "reason: {enum: [sound-server", InterruptionSource.allCases.map(\.rawValue)),
    ]

    /// SPEC 109, 119, 142, 152.
    @Test(arguments: values)
    func statesModesAndReasons(name: String, line: String, values: [String]) throws {
        let lines = try contract(name).filter { $0.trimmingPrefix { $0 == " " }.hasPrefix(line) }
        #expect(lines.map(list) == [values])
    }

    @Test(arguments: [
        ("openapi.yaml", "        reason: {$ref: '#/components/schemas/StatusReason'}"),
        ("asyncapi.yaml", "              reason: {$ref: './openapi.yaml#/components/schemas/StatusReason'}"),
    ])
    func stateAndEventReferToTheReasons(name: String, line: Substring) throws {
        #expect(try contract(name).filter { $0 == line }.count == 1)
    }

    @Test func commandsOfTheEventChannel() throws {
        let line = try #require(try contract("asyncapi.yaml").first { $0.contains("command: {enum: [play") })
        #expect(Set(APIHarness().api.main.commands.names) == Set(list(line)))
    }

    @Test func routes() throws {
        var documented: Set<String> = []
        var path = ""
        var isPaths = false
        for line in try contract("openapi.yaml") {
            if line == "paths:" { isPaths = true } else if !line.isEmpty, !line.hasPrefix(" ") { isPaths = false }
            guard isPaths else { continue }
            if line.hasPrefix("  /"), line.hasSuffix(":") { path = String(line.dropFirst(2).dropLast()) }
            for method in ["get", "post", "put", "patch", "delete"] where line == "    \(method):" {
                documented.insert("\(method.uppercased()) \(path)")
            }
        }
        let api = APIHarness().api
        let main = api.main
        let routes = (main.router.literal.values + main.router.patterns).flatMap(\.routes.values)
        let ofEach = PlayerAPI.routes(main.context, main.hub)
        let ofEachPlayer = ofEach.map { "\($0.method.rawValue) \(PlayerPath(id: "{player}").of($0.pattern))" }
        let table = Set(routes.map { "\($0.method.rawValue) \($0.pattern)" }).union(ofEachPlayer)
        for pattern in Set(ofEach.map(\.pattern)) {
            #expect(PlayerPath.split(PlayerPath(id: "a").of(pattern)) == ("a", pattern))
        }
        #expect(table.subtracting(documented).sorted() == [])
        #expect(documented.subtracting(table).sorted() == [])
    }
}
