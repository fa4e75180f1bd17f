// SPDX-License-Identifier: Apache-2.0

import Audio
import GRDB
import Kernel
import Logging
import Media
import Playback
import Synchronization

/// Measures in the background the loudness of the catalogue's tracks whose tags lack it, one after the other.
///
/// Its thread has low priority, and rests after each track for as long as that one took: it uses half of a core at most, and less
/// the busier the machine is. It waits while a scan runs.
final class LoudnessSurvey: Sendable {
    struct Environment {
        let roots: MusicRoots
        let examiner: MediaExaminer
        let connection: CatalogueConnection
        let board: LibraryBoard
        let measuring: any LoudnessMeasuring
        /// Seconds from the start to the first track: a server that was just started has better things to do.
        let delay: Double
        let logger: Logger
    }

    private enum Message { case scanned, requested, end }

    private let mailbox = Mailbox<Message>()
    private let isEnding = Atomic(false)
    private let thread = Mutex<NamedThread?>(nil)

    init(_ environment: Environment) {
        environment.board.change { $0.loudness.isEnabled = true }
        let thread = NamedThread("library-loudness") { [self] in run(LoudnessWork(environment)) }
        self.thread.withLock { $0 = thread }
    }

    /// A scan has ended. Any thread.
    func scanned() { mailbox.post(.scanned) }

    /// Somebody has asked for a scan: what is measured after it need not wait.
    func hurry() { mailbox.post(.requested) }

    /// Gives up the track that is measured. False when the disk hangs.
    func end() -> Bool {
        isEnding.store(true, ordering: .relaxed)
        mailbox.post(.end)
        return thread.withLock { $0.take() }?.join(within: 1) ?? true
    }

    private func run(_ work: LoudnessWork) {
        ThreadPriority.yieldToOthers()
        var begin = MonotonicTime.now.advanced(bySeconds: work.environment.delay)
        var due: MonotonicTime?
        while true {
            let messages = mailbox.take(until: due)
            if messages.contains(.end) { return }
            if messages.contains(.requested) { begin = .now }
            due = nil
            // Its end wakes this thread.
            guard work.environment.board.status.state == .idle else { continue }
            let now = MonotonicTime.now
            due = now < begin ? begin : work.measureNext { self.isEnding.load(ordering: .relaxed) }
        }
    }
}

/// Lives on the survey's thread.
private final class LoudnessWork {
    private static let longestRest = 10.0
    /// After a failure of the catalogue.
    private static let pause = 60.0

    let environment: LoudnessSurvey.Environment
    private var isHopeless = false

    init(_ environment: LoudnessSurvey.Environment) {
        self.environment = environment
    }

    private func count() {
        do {
            let counts = try environment.connection.read { try TrackMeasure.counts($0) }
            environment.board.change(reportsAlways: true) { status in
                (status.loudness.measured, status.loudness.remaining) = counts
            }
        } catch {
            environment.logger.warning("the library's loudness cannot be read: \(error)")
        }
    }

    /// - Returns: when the next one is due; nil when there is none.
    func measureNext(mustEnd: () -> Bool) -> MonotonicTime? {
        guard !isHopeless else { return nil }
        let began = MonotonicTime.now
        do {
            guard let track = try environment.connection.read({ try TrackMeasure.Unmeasured.first($0) }) else {
                return nil
            }
            guard let outcome = try measure(track.uri, mustEnd) else { return nil }
            try environment.connection.write { try outcome.write(track, $0) }
            environment.board.change { status in
                status.loudness.remaining = max(0, status.loudness.remaining - 1)
                if case .measured = outcome { status.loudness.measured += 1 }
            }
            if environment.board.status.loudness.remaining == 0 { count() }
        } catch let missing as MissingLibrary {
            isHopeless = true
            environment.logger.warning("loudness is not measured: \(missing.reason)")
            environment.board.change(reportsAlways: true) { $0.loudness.problem = missing.reason }
            return nil
        } catch {
            environment.logger.warning("a track's loudness cannot be saved: \(error)")
            return .now.advanced(bySeconds: Self.pause)
        }
        let took = MonotonicTime.now.seconds(since: began)
        return .now.advanced(bySeconds: min(took, Self.longestRest))
    }

    /// nil when the server ends.
    private func measure(_ uri: String, _ mustEnd: () -> Bool) throws(MissingLibrary) -> TrackMeasure? {
        let decoder: any AudioDecoder
        do throws(MediaError) {
            decoder = try environment.examiner.open(try environment.roots.openFile(uri))
        } catch {
            return .unmeasurable
        }
        if decoder.media.tags.loudness?.trackGain != nil { return .tagged }
        if let measured = try environment.measuring.loudness(of: decoder, mustEnd: mustEnd) {
            return .measured(measured)
        }
        return mustEnd() ? nil : .unmeasurable
    }
}
