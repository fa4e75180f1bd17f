// SPDX-License-Identifier: Apache-2.0

import Audio
import GRDB
import Kernel
import Logging
import Media
import Playback
import Synchronization

/// Measures in the background the loudness of tracks whose tags lack it, one at a time.
///
/// Its thread has low priority and rests after each track for as long as the measurement took: it uses at most half a core, and
/// less on a busy machine. It waits while a scan runs.
final class LoudnessSurvey: Sendable {
    struct Environment {
        let roots: MusicRoots
        let examiner: MediaExaminer
        let connection: CatalogueConnection
        let board: LibraryBoard
        let measuring: any LoudnessMeasuring
        /// Seconds from the start of the server to the first track.
        let delay: Double
        let logger: Logger
    }

    private enum Message { case scanned, requested, end }

    private let environment: Environment
    private let mailbox = Mailbox<Message>()
    private let isEnding = Atomic(false)
    private let thread = Mutex<NamedThread?>(nil)
    private static let longestRest = 10.0
    /// Seconds to wait after a failure of the catalogue.
    private static let pause = 60.0

    init(_ environment: Environment) {
        self.environment = environment
        environment.board.change { $0.loudness.isEnabled = true }
        let thread = NamedThread("library-loudness") { [self] in run() }
        self.thread.withLock { $0 = thread }
    }

    /// A scan has ended. Any thread may call this.
    func scanned() { mailbox.post(.scanned) }

    /// A client has requested a scan: the initial delay ends.
    func hurry() { mailbox.post(.requested) }

    /// Cancels the current measurement. Returns false if the disk hangs.
    func end() -> Bool {
        isEnding.store(true, ordering: .relaxed)
        mailbox.post(.end)
        return thread.withLock { $0.take() }?.join(within: 1) ?? true
    }

    private func run() {
        NamedThread.yieldToOthers()
        var begin = MonotonicTime.now.advanced(bySeconds: environment.delay)
        var due: MonotonicTime?
        // The tracks up to this key are measured, or their folder is missing.
        var passed = Int64.min
        while true {
            let messages = mailbox.take(until: due)
            if messages.contains(.end) { return }
            if messages.contains(.requested) { begin = .now }
            if messages.contains(.scanned) { passed = .min }
            due = nil
            // The end of the scan wakes this thread.
            let status = environment.board.status
            guard status.state == .idle, status.loudness.problem == nil else { continue }
            due = .now < begin ? begin : measureNext(after: &passed)
        }
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

    /// Measures the first track after the key `passed`.
    /// - Returns: when to measure the next one; nil if there is none.
    private func measureNext(after passed: inout Int64) -> MonotonicTime? {
        let began = MonotonicTime.now
        do {
            let track = try environment.connection.read { try TrackMeasure.Unmeasured.first(after: passed, $0) }
            guard let track else { return nil }
            if let outcome = try measure(track.uri) {
                try environment.connection.write { try outcome.write(track, $0) }
                environment.board.change { status in
                    status.loudness.remaining = max(0, status.loudness.remaining - 1)
                    if case .measured = outcome { status.loudness.measured += 1 }
                }
                if environment.board.status.loudness.remaining == 0 { count() }
            }
            passed = track.key
        } catch let missing as MissingLibrary {
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

    /// nil if the server ends. Also nil if the track cannot be opened while a music folder is missing, as it may be in that
    /// one: it waits for the next scan, which the folder's return causes.
    private func measure(_ uri: String) throws(MissingLibrary) -> TrackMeasure? {
        let mustEnd = { self.isEnding.load(ordering: .relaxed) }
        let wasWhole = environment.roots.missingDirectories.isEmpty
        let decoder: any AudioDecoder
        do throws(MediaError) {
            decoder = try environment.examiner.open(try environment.roots.openFile(uri))
        } catch {
            return wasWhole && environment.roots.missingDirectories.isEmpty ? .unmeasurable : nil
        }
        if decoder.media.tags.loudness?.trackGain != nil { return .tagged }
        if let measured = try environment.measuring.loudness(of: decoder, mustEnd: mustEnd) {
            return .measured(measured)
        }
        return mustEnd() ? nil : .unmeasurable
    }
}
