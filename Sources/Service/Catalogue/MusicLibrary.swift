// SPDX-License-Identifier: Apache-2.0

public import Kernel

/// The catalogue of the music folders. It exists so that the API knows no database and no scanner: the executable
/// hands an implementation in.
///
/// `status` and `requestScan` come from any thread and never block; all others may block, for milliseconds.
public protocol MusicLibrary: Sendable {
    var status: LibraryStatus { get }

    /// Starts a scan of everything; false when one is under way. `rereads`: also files that did not change.
    func requestScan(rereads: Bool) -> Bool

    func artists(_ filter: CatalogueFilter, _ window: CatalogueWindow) throws(CatalogueError) -> CataloguePage<Artist>
    func albums(_ filter: CatalogueFilter, _ window: CatalogueWindow) throws(CatalogueError) -> CataloguePage<Album>
    func tracks(_ filter: CatalogueFilter, _ window: CatalogueWindow) throws(CatalogueError) -> CataloguePage<Track>
    func genres(_ window: CatalogueWindow) throws(CatalogueError) -> CataloguePage<Genre>

    func artist(_ id: CatalogueID) throws(CatalogueError) -> Artist
    func album(_ id: CatalogueID) throws(CatalogueError) -> Album
    func track(_ id: CatalogueID) throws(CatalogueError) -> Track
    func genre(_ id: CatalogueID) throws(CatalogueError) -> Genre

    /// What is known of the tracks at these paths, in one query; what is no track is left out.
    func details(of uris: [String]) throws(CatalogueError) -> [PathKey: TrackDetails]
    /// The indices of those paths that are no tracks of the catalogue.
    func unlisted(_ uris: [String]) throws(CatalogueError) -> [Int]

    /// Case, accents and the width of letters make no difference; every word must be found, its end may be missing. Playlists
    /// are not its own.
    func search(_ text: String, kinds: Set<SearchKind>, limit: Int) throws(CatalogueError) -> SearchResult
}

/// Why the catalogue gave no answer.
public enum CatalogueError: Error, Hashable, Sendable {
    /// Nothing has this id (any more).
    case unknown(String)
    /// The database is being built anew or cannot be read: a later try may succeed.
    case unavailable(String)
}

public enum SearchKind: String, CaseIterable, Sendable {
    case artists, albums, tracks, genres, folders, playlists

    /// Of a search that names none.
    public static let usual: Set<SearchKind> = [.artists, .albums, .tracks]
}

/// What the library is doing.
public struct LibraryStatus: Hashable, Sendable {
    public enum State: String, Sendable { case starting, scanning, idle, failed }
    public enum Watch: String, Sendable {
        /// Every folder is watched.
        case full
        /// The system allows no more watches: everything is looked at again now and then.
        case partial
        case off
    }

    public struct Counts: Hashable, Sendable {
        public var artists = 0
        public var albums = 0
        public var tracks = 0
        public var genres = 0
        /// Files that carry an audio file's name and cannot be played.
        public var unplayable = 0
        /// Seconds of sound in all.
        public var duration = 0.0

        public init() {}
    }

    /// One scan, the running one or the last one.
    public struct Scan: Hashable, Sendable {
        /// Seconds since the Unix epoch.
        public var startedAt: Double
        /// nil while it runs.
        public var endedAt: Double?
        /// Audio files met so far.
        public var found = 0
        /// Files whose tags were read.
        public var scanned = 0
        public var added = 0
        public var changed = 0
        public var removed = 0
        public var unplayable = 0
        /// Folders that could not be read; nothing of them was taken out.
        public var skippedFolders = 0
        /// It was ended early.
        public var isCancelled = false

        public init(startedAt: Double) { self.startedAt = startedAt }
    }

    /// The measured loudness of the tracks whose tags lack it.
    public struct Loudness: Hashable, Sendable {
        public var isEnabled = false
        public var measured = 0
        /// Tracks that wait; those with tags are among them until they are looked at.
        public var remaining = 0
        /// Why nothing can be measured.
        public var problem: String?

        public init() {}
    }

    public var state = State.starting
    /// Rises with every change of what the catalogue holds.
    public var revision: UInt64 = 0
    public var counts = Counts()
    public var scan: Scan?
    public var watch = Watch.off
    public var loudness = Loudness()
    /// Sentences for people: music folders that are not there, and the like.
    public var problems: [String] = []

    public init() {}
}
