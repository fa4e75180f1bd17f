// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FoundationEssentials

struct DoctorCommand: LocalCommand {
    static let configuration = CommandConfiguration(
        "doctor", "Checks whether playing works here, and gives advice if not.",
        discussion: """
            Takes the same settings as tonearm serve, from flags, environment and file. A server that runs with them is \
            asked for its output, its session and its player main; otherwise a moment of silence is played, to see that the \
            sound server accepts it. The exit status is 0 only if playing would work.
            """)

    @OptionGroup var options: ServeOptions

    @Flag(help: "Print JSON.") var json = false

    func run() throws {
        let diagnosis = Diagnosis(findings(ProcessInfo.processInfo.environment))
        if json {
            Console.write(try diagnosis.json())
        } else {
            Console.output(diagnosis.findings.map(\.text).joined(separator: "\n"))
            Console.output("\n" + diagnosis.conclusion)
        }
        if !diagnosis.playingWorks { throw ExitCode.failure }
    }

    private func findings(_ environment: [String: String]) -> [Finding] {
        let versions = LibraryVersions.findings
        let settings: ServerConfiguration
        do {
            settings = try ServerConfiguration(options, environment: environment)
        } catch {
            return versions + [.problem("settings", "\(error)", ["correct this setting"])]
        }
        let server = ServerChecks.running(settings)
        let hasOwnMusic = server != nil && settings.music.isEmpty
        return versions + sound(settings, environment, server) + [
            ServerChecks.dataDirectory(settings.data, server), ServerChecks.port(settings, server),
            ServerChecks.page(settings), ServerChecks.clientAccess(settings), ServerChecks.mediaWorker(settings),
        ] + (hasOwnMusic ? [] : ServerChecks.music(settings.music))
    }

    private func sound(
        _ settings: ServerConfiguration, _ environment: [String: String], _ server: ServerClient?
    ) -> [Finding] {
        if let output = server.flatMap(ServerChecks.output) { return output }
        let here = SoundCheck(settings, environment).findings()
        guard let server else { return here }
        let note = ServerChecks.noOutput(of: server, worksHere: Diagnosis(here).playingWorks)
        return [note] + here + ServerChecks.silence(of: server)
    }
}

/// One line of `tonearm doctor`.
struct Finding: Encodable, Hashable {
    enum State: String, Encodable {
        case ok
        /// Worth knowing, but playing works.
        case note
        /// Playing would not work.
        case problem
    }

    /// The subject, in a word or two.
    var check: String
    var state: State
    var detail: String
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

    /// The last line. Notes include the reasons why nobody hears the music.
    var conclusion: String {
        guard playingWorks else { return "Playing would not work here." }
        return "Playing works here" + (findings.contains { $0.state == .note } ? "; see the notes." : ".")
    }

    func json() throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return [UInt8](try encoder.encode(self)) + [UInt8(ascii: "\n")]
    }
}
