// SPDX-License-Identifier: Apache-2.0

import Logging
import Playback
import PulseAudioHost
import SoftwareOutput

extension Server {
    /// `player`: nil for main.
    static func output(_ configuration: ServerConfiguration, player: String? = nil) -> any AudioOutput {
        switch configuration.output {
        case .pulse: PulseAudioOutput(device: configuration.sink, player: player)
        case .null: NullOutput()
        case .file(let path):
            FileOutput(path: player.map { Self.path(path, of: $0) } ?? path, report: fileIsIncomplete)
        }
    }

    /// `music.wav` is `music-kitchen.wav` for another player: two cannot write one file.
    static func path(_ path: String, of player: String) -> String {
        let name = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
        let dot = path[name...].dropFirst().lastIndex(of: ".") ?? path.endIndex
        return "\(path[..<dot])-\(player)\(path[dot...])"
    }

    /// At the end, when no client is left to be told.
    @Sendable private static func fileIsIncomplete(_ failure: String) {
        Logger(label: "tonearm") { StreamLogHandler.standardError(label: $0) }.error("\(failure)")
    }
}
