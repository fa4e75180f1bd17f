// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Service
import Testing

/// The contract names exactly the formats that recordings have.
@Suite struct ContractFormatsTests {
    private func lists() throws -> [[String]] {
        var root = URL(fileURLWithPath: #filePath)
        for _ in 0..<3 { root.deleteLastPathComponent() }
        let text = try String(contentsOf: root.appending(path: "openapi.yaml"), encoding: .utf8)
        return text.split(separator: "\n").filter { $0.trimmingPrefix { $0 == " " }.hasPrefix("format: {enum: [wav") }
            .map { line in
                line.drop { $0 != "[" }.dropFirst().prefix { $0 != "]" }.split(separator: ",")
                    .map { String($0.trimmingPrefix(" ")) }
            }
    }

    @Test func everyFormatIsDocumented_andNoOther() throws {
        let recorded = RecordedFormat.allCases.map(\.rawValue)
        let made = RecordingSettings.Container.allCases.map(\.rawValue)
        let rendered = made.filter { $0 != "mp3" }
        #expect(try lists() == [made + ["null"], made, recorded, rendered])
        #expect(RecordingSettings.Container.allCases.map { RecordedFormat($0).rawValue } == made)
    }
}
