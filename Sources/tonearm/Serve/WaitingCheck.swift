// SPDX-License-Identifier: Apache-2.0

import Media
import Playback
import Synchronization
import Kernel

/// Looks into what waits for its turn to be announced. Files only: what comes over a network is not asked for twice. And as a
/// scan looks: what is to be heard soon has its decoders, and the spare worker, to itself.
final class WaitingCheck: Sendable {
    /// Threads at a time: a disk that does not answer must not take more. What is not looked at waits unseen.
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
