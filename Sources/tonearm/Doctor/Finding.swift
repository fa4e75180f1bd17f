// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// One line of `tonearm doctor`.
struct Finding: Encodable, Hashable {
    enum State: String, Encodable {
        case ok
        /// Worth knowing; playing works nevertheless.
        case note
        /// Playing would not work.
        case problem
    }

    /// The subject, in a word or two.
    var check: String
    var state: State
    var detail: String
    /// The advice.
    var advice: [String] = []

    static func ok(_ check: String, _ detail: String) -> Finding { Finding(check: check, state: .ok, detail: detail) }

    static func note(_ check: String, _ detail: String, _ advice: String...) -> Finding {
        Finding(check: check, state: .note, detail: detail, advice: advice)
    }

    static func problem(_ check: String, _ detail: String, _ advice: [String]) -> Finding {
        Finding(check: check, state: .problem, detail: detail, advice: advice)
    }

    var text: String {
        let lines = advice.map { "\n         -> \($0)" }.joined()
        let name = state.rawValue + String(repeating: " ", count: 7 - state.rawValue.count)
        return Table.printable("\(name)  \(check): \(detail)") + lines
    }
}

struct Diagnosis: Encodable {
    var playingWorks: Bool
    var findings: [Finding]

    init(_ findings: [Finding]) {
        self.findings = findings
        playingWorks = !findings.contains { $0.state == .problem }
    }

    func json() throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return [UInt8](try encoder.encode(self)) + [UInt8(ascii: "\n")]
    }
}
