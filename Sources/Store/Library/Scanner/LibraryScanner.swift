// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import Kernel
import Logging
import Media
import Service

/// The dependencies of a scan.
struct ScannerEnvironment {
    let roots: MusicRoots
    let examiner: MediaExaminer
    let connection: CatalogueConnection
    let board: LibraryBoard
    let signals: ScannerSignals
    let watch: FolderWatch?
    /// Called after each scan.
    let scanned: @Sendable () -> Void
}

/// The loop of the thread `library-scan`. Scans everything at the start and on request, and folders that the watch reports. Waits
/// without a timeout unless some folders cannot be watched or are missing, or the last scan has failed.
final class LibraryScanner {
    /// Seconds without a change after which collected changes are scanned.
    private static let quiet = 0.25
    /// The longest time of collecting, in seconds.
    private static let patience = 1.0
    /// Seconds between scans if some folders cannot be watched, and after a scan that failed.
    private static let recheck = 600.0
    /// Seconds between looks for a missing music folder.
    private static let missingRecheck = 30.0
    /// Per run of the server, so that a failing disk does not fill up with damaged files.
    private static let maximumRebuilds = 3

    private let environment: ScannerEnvironment
    private let logger: Logger
    private var places = FolderPlaces()
    private var isComplete = true
    /// The last scan could not be saved: its changes are found by a scan of everything.
    private var hasFailed = false
    /// The start of the last scan of everything.
    private var scannedAt = MonotonicTime.now
    private var missing: [String] = []
    /// Missing folders, and folders that cannot be watched.
    private var folderProblems: [String] = []
    private var mayBeDamaged: Bool
    private var rebuilds = 0

    init(_ environment: ScannerEnvironment, logger: Logger) {
        self.environment = environment
        self.logger = logger
        mayBeDamaged = !environment.connection.beganEmpty
    }

    func run() {
        NamedThread.yieldToOthers()
        scanAll(rereads: false)
        while !environment.signals.mustEnd {
            let due = !isComplete || hasFailed ? scannedAt.advanced(bySeconds: Self.recheck) : nil
            let left = due.map { max(0, $0.seconds(since: .now)) }
            let isEvent = wait(missing.isEmpty ? left : min(left ?? Self.missingRecheck, Self.missingRecheck))
            let requests = environment.signals.take()
            if requests.contains(.end) { return }
            if requests.contains(.check) { mayBeDamaged = true }
            if !requests.isEmpty {
                scanAll(rereads: requests.contains(.scan(rereads: true)))
            } else if due.map({ $0 <= .now }) == true {
                scanAll(rereads: false)
            } else if isEvent {
                scanChanges()
            } else if environment.roots.missingDirectories != missing {
                scanAll(rereads: false)
            }
        }
    }

    // MARK: Waiting

    /// Returns false after the timeout.
    private func wait(_ seconds: Double?) -> Bool {
        var descriptors = [pollfd(fd: environment.signals.descriptor, events: Int16(POLLIN), revents: 0)]
        if let watch = environment.watch {
            descriptors.append(pollfd(fd: watch.descriptor, events: Int16(POLLIN), revents: 0))
        }
        return poll(
            &descriptors, nfds_t(descriptors.count), seconds.map { Int32(clamping: ($0 * 1_000).rounded(.up)) } ?? -1)
            > 0
    }

    private func scanChanges() {
        guard let watch = environment.watch else { return }
        var changes = watch.takeChanges()
        guard !changes.folders.isEmpty || changes.isIncomplete else { return }
        let began = MonotonicTime.now
        // Copying many files causes many events.
        while began.advanced(bySeconds: Self.patience) > .now, wait(Self.quiet), !environment.signals.mustEnd {
            let more = watch.takeChanges()
            changes.folders.formUnion(more.folders)
            changes.isIncomplete = changes.isIncomplete || more.isIncomplete
            // A request, which the loop handles, would end every further wait at once.
            if more.folders.isEmpty, !more.isIncomplete { break }
        }
        if changes.isIncomplete || hasFailed { return scanAll(rereads: false) }
        perform(ScanRun(environment)) { run, places in try run.run(changes.folders, &places) }
    }

    // MARK: Scanning

    private func scanAll(rereads: Bool) {
        scannedAt = .now
        environment.watch?.beginWalk()
        perform(ScanRun(environment, rereads: rereads), runAll)
    }

    private func runAll(_ run: ScanRun, _ places: inout FolderPlaces) throws {
        defer { judgeFolders() }
        try run.runAll(&places)
    }

    private func perform(_ run: ScanRun, _ body: (ScanRun, inout FolderPlaces) throws -> Void) {
        environment.board.change(reportsAlways: true) { status in
            status.state = .scanning
            status.scan = run.scan
        }
        do {
            try checkFile()
            try body(run, &places)
            finish(run)
        } catch is ScanRun.Cancelled {
            finish(run, isCancelled: true)
        } catch  where DamagedFile.isCorrupt(error) && rebuilds < Self.maximumRebuilds {
            rebuild(because: error)
        } catch {
            finish(run, failure: "the music library cannot be written: \(error)")
        }
    }

    private func checkFile() throws {
        guard mayBeDamaged else { return }
        try environment.connection.check()
        mayBeDamaged = false
        let counts = try environment.connection.read { try CatalogueReader(database: $0).counts() }
        environment.board.change { $0.counts = counts }
    }

    private func rebuild(because error: any Error) {
        rebuilds += 1
        do {
            try environment.connection.replace(because: error)
            mayBeDamaged = false
        } catch {
            return finish(ScanRun(environment), failure: "the music library cannot be recreated: \(error)")
        }
        perform(ScanRun(environment), runAll)
    }

    private func finish(_ run: ScanRun, failure: String? = nil, isCancelled: Bool = false) {
        hasFailed = failure != nil
        if let failure { logger.error("\(failure)") }
        var scan = run.scan
        scan.endedAt = Date().timeIntervalSince1970
        scan.isCancelled = isCancelled
        let counts: (entries: LibraryStatus.Counts, loudness: (measured: Int, remaining: Int))?
        do {
            counts = try environment.connection.read {
                try (CatalogueReader(database: $0).counts(), TrackMeasure.counts($0))
            }
        } catch {
            counts = nil
        }
        if scan.scanned + scan.removed > 0 {
            let example = run.unplayable.map { ", such as \($0)" } ?? ""
            logger.info(
                "music scanned: \(scan.found) found, \(scan.scanned) read, \(scan.removed) removed, \(scan.unplayable) unplayable\(example)"
            )
        }
        let problems = (failure.map { [$0] } ?? []) + folderProblems
        let watch: LibraryStatus.Watch = environment.watch == nil ? .off : isComplete ? .full : .partial
        environment.board.change(reportsAlways: true) { status in
            status.state = failure == nil ? .idle : .failed
            status.scan = scan
            status.watch = watch
            if let counts {
                status.counts = counts.entries
                if status.loudness.isEnabled {
                    (status.loudness.measured, status.loudness.remaining) = counts.loudness
                }
            }
            status.problems = problems
        }
        environment.scanned()
    }

    /// Updates the missing folders, and whether all others are watched.
    private func judgeFolders() {
        isComplete = environment.watch.map { !$0.isFull } ?? false
        missing = environment.roots.missingDirectories
        folderProblems = missing.map { "The music folder \($0) cannot be opened; its known entries are kept." }
        if !isComplete {
            folderProblems.append(
                environment.watch == nil
                    ? "Folders cannot be watched here; the music is scanned every 10 minutes."
                    : "The system allows too few folder watches (fs.inotify.max_user_watches); the music is scanned "
                        + "every 10 minutes as well.")
        }
    }
}

/// The URI of each directory in the catalogue, so that links neither list music twice nor cause endless scans.
struct FolderPlaces {
    private var uris: [FolderIdentity: PathKey] = [:]

    /// Assigns the directory to `uri`. Returns false if it exists under another URI.
    mutating func take(
        _ identity: FolderIdentity, for uri: String, identityOf: (String) -> FolderIdentity?
    ) -> Bool {
        if let other = uris[identity], other != PathKey(uri), identityOf(other.path) == identity { return false }
        uris[identity] = PathKey(uri)
        return true
    }

    mutating func forget(below uri: String) {
        uris = uris.filter { $0.value != PathKey(uri) && !$0.value.path.utf8.starts(with: (uri + "/").utf8) }
    }
}
