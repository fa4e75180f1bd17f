// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Playback
import Testing

/// The contracts name exactly the reasons that there are.
@Suite struct ContractReasonsTests {
    private func lines(_ name: String) throws -> [Substring] {
        var root = URL(fileURLWithPath: #filePath)
        for _ in 0..<3 { root.deleteLastPathComponent() }
        let text = try String(contentsOf: root.appending(path: name), encoding: .utf8)
        return text.split(separator: "\n", omittingEmptySubsequences: false)
    }

    @Test func everyReasonIsDocumented_andNoOther() throws {
        let lines = try lines("openapi.yaml")
        let start = try #require(lines.firstIndex(of: "    StatusReason:"))
        let line = try #require(lines[start...].prefix(4).first { $0.contains("enum: [") })
        let list = line.drop { $0 != "[" }.dropFirst().prefix { $0 != "]" }
        let documented = list.split(separator: ",").map { $0.trimmingPrefix(" ") }.map(String.init)
        #expect(documented == StatusReason.allCases.map(\.rawValue) + ["null"])
    }

    @Test(arguments: [
        ("openapi.yaml", "        reason: {$ref: '#/components/schemas/StatusReason'}"),
        ("asyncapi.yaml", "              reason: {$ref: './openapi.yaml#/components/schemas/StatusReason'}"),
    ])
    func stateAndEventReferToIt(name: String, line: Substring) throws {
        #expect(try lines(name).filter { $0 == line }.count == 1)
    }
}
