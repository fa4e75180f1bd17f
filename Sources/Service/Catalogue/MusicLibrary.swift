// SPDX-License-Identifier: Apache-2.0

public import Kernel

/// The catalogue of the music folders. It exists so that the API depends on no database and no scanner: the executable
/// supplies an implementation.
///
/// `status` and `requestScan` come from any thread and never block; all others may block for milliseconds.
public protocol MusicLibrary: Sendable {
    var status: LibraryStatus { get }

    /// Starts a scan of all folders, and returns the status with the scan before; nil if one is running. `rereads`: also reads
    /// unchanged files.
    func requestScan(rereads: Bool) -> LibraryStatus?

    func artists(_ filter: CatalogueFilter, _ window: CatalogueWindow) throws(CatalogueError) -> CataloguePage<Artist>
    func albums(_ filter: CatalogueFilter, _ window: CatalogueWindow) throws(CatalogueError) -> CataloguePage<Album>
    func tracks(_ filter: CatalogueFilter, _ window: CatalogueWindow) throws(CatalogueError) -> CataloguePage<Track>
    func genres(_ window: CatalogueWindow) throws(CatalogueError) -> CataloguePage<Genre>

    func artist(_ id: CatalogueID) throws(CatalogueError) -> Artist
    func album(_ id: CatalogueID) throws(CatalogueError) -> Album
    func track(_ id: CatalogueID) throws(CatalogueError) -> Track
    func genre(_ id: CatalogueID) throws(CatalogueError) -> Genre

    /// Details of the tracks at these paths, in one query; paths without a track are left out.
    func details(of uris: [String]) throws(CatalogueError) -> [PathKey: TrackDetails]
    /// The indices of the paths without a track in the catalogue.
    func unlisted(_ uris: [String]) throws(CatalogueError) -> [Int]

    /// Ignores case, accents and character width. All words must match; a word may match a prefix. Does not search
    /// playlists.
    func search(_ text: String, kinds: Set<SearchKind>, limit: Int) throws(CatalogueError) -> SearchResult
}

/// Why the catalogue did not answer.
public enum CatalogueError: Error, Hashable, Sendable {
    /// There is no entry with this id (any more).
    case unknown(String)
    /// The database is being rebuilt or is unreadable: a later try may succeed.
    case unavailable(String)
}

public enum SearchKind: String, CaseIterable, Sendable {
    case artists, albums, tracks, genres, folders, playlists

    /// The default of a search.
    public static let usual: Set<SearchKind> = [.artists, .albums, .tracks]
}

/// Contents and activity of the library.
public struct LibraryStatus: Hashable, Sendable {
    public enum State: String, Sendable { case starting, scanning, idle, failed }
    public enum Watch: String, Sendable {
        /// Every folder is watched.
        case full
        /// The system's limit of watches is reached: all folders are scanned at intervals.
        case partial
        case off
    }

    public struct Counts: Hashable, Sendable {
        public var artists = 0
        public var albums = 0
        public var tracks = 0
        public var genres = 0
        /// Files with the name of an audio file that cannot be played.
        public var unplayable = 0
        /// Total duration in seconds.
        public var duration = 0.0

        public init() {}
    }

    /// A scan: the running one or the last one.
    public struct Scan: Hashable, Sendable {
        /// Seconds since the Unix epoch.
        public var startedAt: Double
        /// nil while it runs.
        public var endedAt: Double?
        /// Audio files found so far.
        public var found = 0
        /// Files whose tags were read.
        public var scanned = 0
        public var added = 0
        public var changed = 0
        public var removed = 0
        public var unplayable = 0
        /// Unreadable folders; their entries stay in the catalogue.
        public var skippedFolders = 0
        /// It was ended early.
        public var isCancelled = false

        public init(startedAt: Double) { self.startedAt = startedAt }
    }

    /// The measured loudness of the tracks whose tags lack it.
    public struct Loudness: Hashable, Sendable {
        public var isEnabled = false
        public var measured = 0
        /// Waiting tracks. Tracks with loudness tags count until they are examined.
        public var remaining = 0
        /// Why measuring is impossible.
        public var problem: String?
    }

    public var state = State.starting
    /// Rises with every change of the catalogue's contents.
    public var revision: UInt64 = 0
    public var counts = Counts()
    public var scan: Scan?
    public var watch = Watch.off
    public var loudness = Loudness()
    /// Sentences for users, for example about missing music folders.
    public var problems: [String] = []

    public init() {}
}
