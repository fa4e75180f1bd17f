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
        if case .file = kind { "The output is a file, which contains the music only." } else { nil }
    }

    func voice(
        _ kind: VoiceKind, on device: String?, isPinned: Bool, rules: SessionRules,
        report: @escaping @Sendable (SoundID, VoiceReport) -> Void
    ) -> (any Voice)? {
        guard Headroom.isThere else { return nil }
        var environment = environment
        environment.device = device
        environment.output =
            switch self.kind {
            case .pulse:
                PulseAudioOutput(
                    title: kind == .announcement ? "Announcement" : "Sound effect", only: isPinned ? device : nil)
            case .null, .file: NullOutput()
            }
        return PlayerVoice(environment, isPinned: isPinned, rules: rules, report: report)
    }
}

/// Whether this process may have some more threads. What must have one ends the process without (`NamedThread`); who
/// starts such a thing for a client looks first.
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

/// Checks waiting announcements before their turn. Files only, as network media should not be requested twice. Uses a
/// scan's worker, so that sounds about to play have the decoders and the spare worker to themselves.
final class WaitingCheck: Sendable {
    /// Concurrent threads: a disk that does not answer must not take more. Further announcements wait unchecked.
    private static let limit = 4

    private let roots: MusicRoots
    private let examiner: MediaExaminer
    private let running = Mutex(0)

    init(roots: MusicRoots, examiner: MediaExaminer) {
        self.roots = roots
        self.examiner = examiner
    }

    /// `done` comes once, with why it cannot be played.
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
