// SPDX-License-Identifier: Apache-2.0

import Service
import Glibc
import Media
import Playback
import PulseAudioHost
import SoundFiles
import Kernel

extension Server {
    /// Makes the announcer of each player. `environment`: of any of them; voices have outputs of their own.
    static func announcers(
        _ environment: Player.Environment, _ session: LiveSession, _ configuration: ServerConfiguration,
        check: WaitingCheck
    ) -> @Sendable (_ id: String, Player) -> Announcer? {
        let (voices, budget) = (PlayerVoices(environment, configuration.output), VoiceBudget())
        return { id, player in
            var environment = Announcer.Environment(
                music: player, voices: voices, clock: environment.clock, budget: budget)
            environment.check = { check.begin($0, done: $1) }
            environment.announcing = { session.receive(announcing: $0, of: id) }
            return Announcer(environment)
        }
    }
}

/// Whether one more player can be made: it takes its threads and descriptors for granted, as the music's player may.
private enum Headroom {
    private static let descriptors = 16

    static var isThere: Bool {
        let taken = (0..<descriptors).map { _ in dup(STDERR_FILENO) }
        for descriptor in taken where descriptor >= 0 { close(descriptor) }
        return SpareThreads.exist(4) && !taken.contains { $0 < 0 }
    }
}

/// Voices that decode as the music does, each with an output of its own.
private struct PlayerVoices: VoiceMaking {
    private let environment: Player.Environment
    private let kind: ServerConfiguration.Output

    init(_ environment: Player.Environment, _ kind: ServerConfiguration.Output) {
        var environment = environment
        // What is announced is short, and comes now or not at all.
        environment.networkBuffering.start = min(0.5, environment.networkBuffering.start)
        environment.opener = PartsOpener(environment.opener)
        self.environment = environment
        self.kind = kind
    }

    var refusal: String? {
        if case .file = kind { "The sound goes into a file, which holds the music only." } else { nil }
    }

    func voice(
        _ kind: VoiceKind, on device: String?, rules: SessionRules,
        report: @escaping @Sendable (SoundID, VoiceReport) -> Void
    ) -> (any Voice)? {
        guard Headroom.isThere else { return nil }
        var environment = environment
        environment.output =
            switch self.kind {
            case .pulse:
                PulseAudioOutput(device: device, title: kind == .announcement ? "Announcement" : "Sound effect")
            case .null, .file: NullOutput()
            }
        return PlayerVoice(environment, rules: rules, report: report)
    }
}
