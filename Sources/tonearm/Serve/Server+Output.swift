// SPDX-License-Identifier: Apache-2.0

import Logging
import Playback
import PulseAudioHost
import SoundFiles
import Synchronization

extension Server {
    /// The output of main. A file that cannot be written now is a mistake in the configuration.
    static func mainOutput(_ configuration: ServerConfiguration) throws -> any AudioOutput {
        if case .file(let path) = configuration.output, case .unavailable(let reason) = PacedOutput.checkFile(path) {
            throw Failure("output: \(reason)", .cannotCreate)
        }
        return output(configuration)
    }

    /// `player`: nil for main.
    static func output(_ configuration: ServerConfiguration, player: String? = nil) -> any AudioOutput {
        switch configuration.output {
        case .pulse: return PulseAudioOutput(player: player)
        case .null: return PacedOutput.null()
        case .file(let path):
            let path = player.map { Self.path(path, of: $0) } ?? path
            return PacedOutput.file(path, report: fileIsIncomplete)
        }
    }

    /// Returns `music-kitchen.wav` for `music.wav`: two players cannot write one file.
    static func path(_ path: String, of player: String) -> String {
        let name = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path.utf8.index(after: $0) } ?? path.startIndex
        let dot = path[name...].dropFirst().utf8.lastIndex(of: UInt8(ascii: ".")) ?? path.endIndex
        return "\(path[..<dot])-\(player)\(path[dot...])"
    }

    /// Logged at the end, when no clients are left to notify.
    @Sendable private static func fileIsIncomplete(_ failure: String) {
        Logger(label: "tonearm") { StreamLogHandler.standardError(label: $0) }.error("\(failure)")
    }
}

/// Logs the loss of the sound server or the chosen device once, and its return once, regardless of the retries in between.
/// Watches main's output only: all players connect to the same sound server. Any thread may call it.
final class OutputWatch: Sendable {
    private let last = Mutex(OutputStatus())
    private let log: Logger

    init(log: Logger) { self.log = log }

    func receive(_ output: OutputStatus) {
        let old = last.withLock { last in
            defer { last = output }
            return last
        }
        if old.missing != output.missing {
            if let missing = output.missing {
                log.warning(
                    "the chosen sink is not there; the sound goes elsewhere until it appears",
                    metadata: ["sink": "\(missing)"])
            } else if output.devices.devices.contains(where: { $0.id == old.missing }) {
                log.info("the chosen sink is there")
            }
        }
        guard (old.availability == .available) != (output.availability == .available) else { return }
        switch output.availability {
        case .available: log.info("the sound output is back")
        case .unavailable(let reason): log.warning("there is no sound output", metadata: ["reason": "\(reason)"])
        }
    }
}
