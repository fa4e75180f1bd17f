// SPDX-License-Identifier: Apache-2.0

import Glibc
import Kernel
import Media
import Playback
import PulseAudioHost
import Service
import SoundFiles
import Synchronization

extension Server {
    /// Returns the factory of the players' announcers. `environment` may be any player's: voices have outputs of their own.
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

/// Makes voices. They decode as the music does; each has an output of its own.
private struct PlayerVoices: VoiceMaking {
    private let environment: Player.Environment
    private let kind: ServerConfiguration.Output

    init(_ environment: Player.Environment, _ kind: ServerConfiguration.Output) {
        var environment = environment
        // Announcements are short and urgent: a short prebuffer will do.
        environment.networkBuffering.start = min(0.5, environment.networkBuffering.start)
        environment.opener = PartsOpener(environment.opener)
        self.environment = environment
        self.kind = kind
    }

    var refusal: String? {
        if case .file = kind { "The output is a file, which contains the music only." } else { nil }
    }

    /// Checks that one more player can be made, which would end the process without descriptors.
    private static func hasDescriptors() -> Bool {
        let taken = (0..<16).map { _ in dup(STDERR_FILENO) }
        for descriptor in taken where descriptor >= 0 { close(descriptor) }
        return !taken.contains { $0 < 0 }
    }

    func voice(
        _ kind: VoiceKind, on device: String?, isPinned: Bool, rules: SessionRules,
        report: @escaping @Sendable (SoundID, VoiceReport) -> Void
    ) -> (any Voice)? {
        guard SpareThreads.exist(4), Self.hasDescriptors() else { return nil }
        var environment = environment
        environment.device = device
        environment.output =
            switch self.kind {
            case .pulse:
                PulseAudioOutput(
                    title: kind == .announcement ? "Announcement" : "Sound effect", only: isPinned ? device : nil)
            case .null, .file: PacedOutput.null()
            }
        return PlayerVoice(environment, isPinned: isPinned, rules: rules, report: report)
    }
}

/// Checks that more threads can be started. A `NamedThread` that must exist ends the process if it cannot start, so code that
/// starts one for a client checks first.
enum SpareThreads {
    static func exist(_ count: Int) -> Bool {
        var started: [(thread: NamedThread, gate: Mailbox<Void>)] = []
        while started.count < count {
            let gate = Mailbox<Void>()
            guard let thread = NamedThread(ifPossible: "spare", { _ = gate.take(until: nil) }) else { break }
            started.append((thread, gate))
        }
        for (thread, gate) in started {
            gate.post(())
            thread.join()
        }
        return started.count == count
    }
}

/// Checks waiting announcements before their turn. Files only: network media should not be requested twice. Uses a scan's
/// worker, which leaves the decoders and the spare worker to sounds that are about to play.
final class WaitingCheck: Sendable {
    /// Concurrent threads, because a disk may hang. Further announcements wait unchecked.
    private static let limit = 4

    private let roots: MusicRoots
    private let examiner: MediaExaminer
    private let running = Mutex(0)

    init(roots: MusicRoots, examiner: MediaExaminer) {
        self.roots = roots
        self.examiner = examiner
    }

    /// Calls `done` once, with the reason why the announcement cannot be played, or nil.
    func begin(_ uris: [String], done: @escaping @Sendable (PlaybackError?) -> Void) {
        let files = uris.enumerated().filter { !MediaLocator.isNetwork($0.element) }
        guard !files.isEmpty else { return done(nil) }
        let isTaken = running.withLock { running in
            guard running < Self.limit else { return false }
            running += 1
            return true
        }
        guard isTaken else { return done(nil) }
        let thread = NamedThread(ifPossible: "announce-check") { [self] in
            let problem = files.lazy.compactMap { self.problem($0.element, part: $0.offset) }.first
            end()
            done(problem)
        }
        guard let thread else {
            end()
            return done(nil)
        }
        thread.detach()
    }

    private func end() { running.withLock { $0 -= 1 } }

    private func problem(_ uri: String, part: Int) -> PlaybackError? {
        do throws(MediaError) {
            _ = try examiner.outline(of: try roots.openFile(uri))
            return nil
        } catch {
            var error = error
            error.part = part
            return PlaybackError(error)
        }
    }
}
