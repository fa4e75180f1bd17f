// SPDX-License-Identifier: Apache-2.0

public import Audio
public import Service
import GRDB
public import Logging
public import Media
public import Kernel

/// The music library in `library.sqlite` of the data directory, with its scanner. Reads run beside the scan and see committed changes.
public final class LocalMusicLibrary: MusicLibrary, TrackCatalogue {
    private let connection: CatalogueConnection
    private let roots: MusicRoots
    private let board = LibraryBoard()
    private let signals = ScannerSignals()
    private let thread: NamedThread
    private let survey: LoudnessSurvey?

    /// Opens the catalogue, which blocks for milliseconds, and starts the scan. Sets a damaged catalogue aside; throws if none can be
    /// created. `measuring`: nil measures no loudness. Measuring begins after `delay` seconds, or after a requested scan.
    public init(
        directory: String, roots: MusicRoots, examiner: MediaExaminer, measuring: (any LoudnessMeasuring)?,
        measuresAfter delay: Double = 60, logger: Logger
    ) throws(StateStoreError) {
        let path = directory + "/library.sqlite"
        self.roots = roots
        do {
            let key = KeptID(directory: directory, name: "library-key", logger: logger)
            if let problem = key.problem { logger.warning("the library's ids are valid for this run only: \(problem)") }
            connection = try CatalogueConnection(path: path, keys: CatalogueKeys(key.key), logger: logger)
        } catch {
            throw .unusable(path: path, reason: "\(error)")
        }
        let (connection, board, signals) = (connection, board, signals)
        let survey = measuring.map { measuring in
            LoudnessSurvey(
                LoudnessSurvey.Environment(
                    roots: roots, examiner: examiner, connection: connection, board: board, measuring: measuring,
                    delay: delay, logger: logger))
        }
        self.survey = survey
        thread = NamedThread("library-scan") {
            let watch = FolderWatch()
            if watch == nil { logger.warning("music folders cannot be watched here") }
            LibraryScanner(
                ScannerEnvironment(
                    roots: roots, examiner: examiner, connection: connection, board: board, signals: signals,
                    watch: watch, scanned: { survey?.scanned() }), logger: logger
            ).run()
        }
    }

    /// The scanner's thread calls the observer at most four times a second, and after each scan.
    public func observe(_ observer: @escaping @Sendable (LibraryStatus) -> Void) { board.observe(observer) }

    /// Cancels a scan and closes the file. Call once.
    public func close() {
        signals.post(.end)
        // If the disk hangs, threads and connection end with the process.
        let isSurveyOver = survey?.end() ?? true
        if thread.join(within: 1), isSurveyOver { connection.close() }
    }

    public var status: LibraryStatus { board.status }

    public func requestScan(rereads: Bool) -> LibraryStatus? {
        var requested: LibraryStatus?
        board.change { status in
            guard status.state != .scanning, status.state != .starting else { return }
            // At once, so that a second request is refused.
            status.state = .scanning
            requested = status
        }
        guard let requested else { return nil }
        survey?.hurry()
        signals.post(.scan(rereads: rereads))
        return requested
    }

    public func artists(
        _ filter: CatalogueFilter, _ window: CatalogueWindow
    ) throws(CatalogueError) -> CataloguePage<Artist> {
        try page(window) { try $0.artists(filter, window) }
    }

    public func albums(
        _ filter: CatalogueFilter, _ window: CatalogueWindow
    ) throws(CatalogueError) -> CataloguePage<Album> {
        try page(window) { try $0.albums(filter, window) }
    }

    public func tracks(
        _ filter: CatalogueFilter, _ window: CatalogueWindow
    ) throws(CatalogueError) -> CataloguePage<Track> {
        try page(window) { try $0.tracks(filter, window) }
    }

    public func genres(_ window: CatalogueWindow) throws(CatalogueError) -> CataloguePage<Genre> {
        try page(window) { try $0.genres(window) }
    }

    public func artist(_ id: CatalogueID) throws(CatalogueError) -> Artist {
        try single(id, .artist) { try $0.artists("WHERE id = ?", [id.number]) }
    }

    public func album(_ id: CatalogueID) throws(CatalogueError) -> Album {
        try single(id, .album) { try $0.albums("WHERE album.id = ?", [id.number]) }
    }

    public func track(_ id: CatalogueID) throws(CatalogueError) -> Track {
        try single(id, .track) { try $0.tracks("WHERE track.key = ?", [id.number]) }
    }

    public func genre(_ id: CatalogueID) throws(CatalogueError) -> Genre {
        try single(id, .genre) { try $0.genres("WHERE id = ?", [id.number]) }
    }

    public func details(of uris: [String]) throws(CatalogueError) -> [PathKey: TrackDetails] {
        let paths = uris.map { roots.relativePath($0) ?? $0 }
        let keys = paths.map { connection.keys.of($0) }
        let rows = try read { try $0.details(paths, keys) }
        return Dictionary(rows.map { (PathKey(uris[$0.index]), $0.details) }) { first, _ in first }
    }

    public func facts(of uri: String, needsLoudness: Bool) -> (loudness: TrackLoudness?, albumFiles: Set<PathKey>) {
        let key = connection.keys.of(roots.relativePath(uri) ?? uri)
        do throws(CatalogueError) {
            return try read { reader in
                (
                    needsLoudness ? try TrackMeasure.loudness(ofTrack: key, reader.database) : nil,
                    Set(try reader.albumFiles(ofTrack: key).map { PathKey($0) })
                )
            }
        } catch {
            // Nothing is known about the file; it plays nevertheless.
            return (nil, [])
        }
    }

    public func unlisted(_ uris: [String]) throws(CatalogueError) -> [Int] {
        let keys = uris.map { connection.keys.of(roots.relativePath($0) ?? $0) }
        let known = try read { try $0.knownTracks(among: keys) }
        return keys.indices.filter { !known.contains(keys[$0]) }
    }

    public func search(
        _ text: String, kinds: Set<SearchKind>, limit: Int
    ) throws(CatalogueError) -> SearchResult {
        try read { try $0.search(text, kinds: kinds, limit: limit) }
    }

    // MARK: Reading

    private func page<Entry>(
        _ window: CatalogueWindow, _ body: (CatalogueReader) throws -> (Int, [Entry])
    ) throws(CatalogueError) -> CataloguePage<Entry> {
        // Before the read, so that a page may be newer than its revision, but never older.
        let revision = status.revision
        let (length, entries) = try read(body)
        return CataloguePage(length: length, offset: window.offset, entries: entries, revision: revision)
    }

    private func single<Entry>(
        _ id: CatalogueID, _ kind: CatalogueID.Kind, _ body: (CatalogueReader) throws -> [Entry]
    ) throws(CatalogueError) -> Entry {
        guard id.kind == kind, let entry = try read(body).first else { throw .unknown(id.description) }
        return entry
    }

    private func read<Value>(_ body: (CatalogueReader) throws -> Value) throws(CatalogueError) -> Value {
        do {
            return try connection.read { try body(CatalogueReader(database: $0)) }
        } catch {
            if DamagedFile.isCorrupt(error) { signals.post(.check) }
            throw .unavailable("The music library cannot be read now: \(error)")
        }
    }
}
