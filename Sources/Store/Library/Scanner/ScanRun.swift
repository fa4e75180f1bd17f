// SPDX-License-Identifier: Apache-2.0

import Service
import FoundationEssentials
import Media
import Playback
import Kernel

/// One scan: compares folders with the catalogue, reads new and changed files, and commits in batches. Runs on the scanner's
/// thread.
final class ScanRun {
    private static let batch = 500
    private static let batchSeconds = 0.5
    private static let foldersAtOnce = 64
    private static let readerCount = max(2, min(4, ProcessInfo.processInfo.activeProcessorCount))

    let environment: ScannerEnvironment
    private let rereads: Bool
    private var readers: OutlineReaders?
    private var waiting: [OutlineReaders.Job] = []
    private var changes = CatalogueChanges()
    private var committedAt = MonotonicTime.now
    private(set) var scan: LibraryStatus.Scan
    /// The first unplayable file.
    private(set) var unplayable: String?
    /// Folders that could not be read completely. Their entries stay in the catalogue.
    private var skipped: Set<Int64> = []
    private var visited: Set<Int64> = []

    init(_ environment: ScannerEnvironment, rereads: Bool = false) {
        self.environment = environment
        self.rereads = rereads
        scan = LibraryStatus.Scan(startedAt: Date().timeIntervalSince1970)
    }

    struct Cancelled: Error {}

    private var keys: CatalogueKeys { environment.connection.keys }

    // MARK: The two kinds

    /// Scans everything. Rebuilds `places`.
    func runAll(_ places: inout FolderPlaces) throws {
        places = FolderPlaces()
        let known = try environment.connection.read { try Int64.fetchSet($0, sql: "SELECT id FROM folder") }
        let wasWhole = environment.roots.missingDirectories.isEmpty
        try visit("", known, &places)
        try finishReading()
        if wasWhole, environment.roots.missingDirectories.isEmpty {
            let gone = known.subtracting(visited)
            if !gone.isEmpty { changes.removedFolders = try kept(outOf: gone) }
        }
        try commit()
    }

    /// Scans changed folders, and new folders below them.
    func run(_ folders: Set<PathKey>, _ places: inout FolderPlaces) throws {
        let connection = environment.connection
        let missing = environment.roots.missingDirectories
        var gone: Set<Int64> = []
        for uri in folders.map(\.path).sorted() where !visited.contains(keys.of(uri)) {
            try checkEnd()
            let id = keys.of(uri)
            let children = try connection.read {
                try Set(
                    String.fetchAll($0, sql: "SELECT uri FROM folder WHERE parent = ?", arguments: [id])
                        .map { PathKey($0) })
            }
            guard let folder = try open(uri, &places) else {
                if !skipped.contains(id), missing.isEmpty {
                    gone.formUnion(try connection.read { try CatalogueChanges.subtree(of: id, $0) })
                }
                continue
            }
            try compare(folder, try KnownFolder.all([id], connection)[id])
            let present = Set(folder.folders.map { PathKey($0) })
            if missing.isEmpty, !folder.isPartial {
                for child in children.subtracting(present).map(\.path) {
                    places.forget(below: child)
                    let childID = keys.of(child)
                    gone.formUnion(try connection.read { try CatalogueChanges.subtree(of: childID, $0) })
                }
            }
            for child in present.subtracting(children).map(\.path).sorted() { try visit(child, [], &places) }
        }
        try finishReading()
        // Excludes folders that were moved at the same time and visited at their new place.
        changes.removedFolders = gone.subtracting(visited)
        try commit()
    }

    // MARK: Folders

    /// Scans a folder and all below it. Iterative, because folders may nest to any depth.
    private func visit(_ uri: String, _ known: Set<Int64>, _ places: inout FolderPlaces) throws {
        var stack = [uri]
        while !stack.isEmpty {
            // In batches, with one query of the catalogue each.
            var folders: [ScannedFolder] = []
            for uri in stack.suffix(Self.foldersAtOnce) where uri.utf8.count <= 4_000 {
                try checkEnd()
                if let folder = try open(uri, &places) { folders.append(folder) }
            }
            stack.removeLast(min(Self.foldersAtOnce, stack.count))
            let ids = folders.map { keys.of($0.uri) }.filter(known.contains)
            let catalogued = try KnownFolder.all(ids, environment.connection)
            for folder in folders {
                try compare(folder, catalogued[keys.of(folder.uri)])
                stack += folder.folders
            }
        }
    }

    /// nil if the folder cannot be read, no longer exists, or is a link to a folder with another URI.
    private func open(_ uri: String, _ places: inout FolderPlaces) throws -> ScannedFolder? {
        let id = keys.of(uri)
        do throws(MediaError) {
            let roots = environment.roots
            let folder = try roots.scan(uri, watch: environment.watch) { identity in
                places.take(identity, for: uri) { roots.identity(of: $0) }
            }
            guard let folder else { return nil }
            visited.insert(id)
            if folder.isPartial {
                scan.skippedFolders += 1
                skipped.insert(id)
            }
            return folder
        } catch {
            if error.code != .notFound {
                scan.skippedFolders += 1
                skipped.insert(id)
            }
            return nil
        }
    }

    /// Detects new, changed and removed files in one folder.
    ///
    /// - Parameter known: the catalogue's record; nil for a new folder.
    private func compare(_ folder: ScannedFolder, _ known: KnownFolder?) throws {
        if known == nil {
            changes.newFolders.append((folder.uri, folder.hasPicture))
        } else if known?.hasPicture != folder.hasPicture, folder.hasPicture || isWhole(folder) {
            changes.pictures[keys.of(folder.uri)] = folder.hasPicture
        }
        var known = known?.files ?? [:]
        scan.found += folder.files.count
        for file in folder.files {
            let key = keys.of(file.uri)
            if let old = known.removeValue(forKey: key), !rereads, old.isUnchanged(file.stamp) { continue }
            try read(OutlineReaders.Job(folder: folder, file: file))
        }
        if !known.isEmpty, isWhole(folder) { changes.removedFiles += known.keys }
        try commitIfDue()
        environment.board.change { $0.scan = self.scan }
    }

    /// Returns whether missing entries of the folder are really gone. While a root is missing, any entry may belong to it.
    private func isWhole(_ folder: ScannedFolder) -> Bool {
        !folder.isPartial && environment.roots.missingDirectories.isEmpty
    }

    // MARK: Files

    /// Reads a handful of files on this thread, more on the readers.
    private func read(_ job: OutlineReaders.Job) throws {
        try checkEnd()
        if readers == nil {
            waiting.append(job)
            guard waiting.count > 8 else { return }
            let signals = environment.signals
            readers = OutlineReaders(
                examiner: environment.examiner, keys: keys,
                count: Self.readerCount, mustEnd: { signals.mustEnd })
        }
        guard let readers else { return try readHere() }
        for job in waiting { readers.submit(job) }
        if waiting.isEmpty { readers.submit(job) }
        waiting = []
        while readers.outstanding >= OutlineReaders.maximumOutstanding {
            take(readers.take(waits: true))
            try commitIfDue()
        }
    }

    private func readHere() throws {
        for job in waiting {
            try checkEnd()
            take((1, [job.read(with: environment.examiner, keys)].compactMap { $0 }))
        }
        waiting = []
    }

    private func finishReading() throws {
        try readHere()
        guard let readers else { return }
        readers.flush()
        while readers.outstanding > 0 {
            try checkEnd()
            take(readers.take(waits: true))
            try commitIfDue()
        }
        self.readers = nil
    }

    private func take(_ read: (count: Int, records: [CatalogueRecord])) {
        scan.scanned += read.count
        for record in read.records {
            guard case .failure = record.content else { continue }
            scan.unplayable += 1
            unplayable = unplayable ?? record.uri
        }
        changes.records += read.records
    }

    // MARK: Writing

    private func commitIfDue() throws {
        if let readers { take(readers.take(waits: false)) }
        guard changes.count >= Self.batch || committedAt.advanced(bySeconds: Self.batchSeconds) <= .now else { return }
        try commit()
    }

    private func commit() throws {
        committedAt = .now
        guard !changes.isEmpty else { return }
        let result = try environment.connection.write { try changes.write(to: $0, keys) }
        changes = CatalogueChanges()
        scan.added += result.added
        scan.changed += result.changed
        scan.removed += result.removed
        environment.board.change { status in
            status.revision += 1
            status.scan = scan
        }
    }

    /// Removes from `gone` the folders below one that could not be read.
    private func kept(outOf gone: Set<Int64>) throws -> Set<Int64> {
        guard !skipped.isEmpty else { return gone }
        return try environment.connection.read { database in
            var gone = gone
            for id in skipped { gone.subtract(try CatalogueChanges.subtree(of: id, database)) }
            return gone
        }
    }

    private func checkEnd() throws {
        if environment.signals.mustEnd { throw Cancelled() }
    }
}
