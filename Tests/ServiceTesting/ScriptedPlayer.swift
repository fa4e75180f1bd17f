// SPDX-License-Identifier: Apache-2.0

public import Kernel
public import Playback
public import Service
public import Synchronization

/// Records commands, and replies as configured.
public final class ScriptedPlayer: PlayerControl {
    public struct State {
        public var snapshot = PlayerSnapshot()
        public var items: [QueueItem] = []
        public var commands: [PlayerCommand] = []
        public var failure: PlaybackError?
        /// Its thread hangs: a ping is not answered.
        public var hangs = false
        /// Called by `queueWindow`.
        public var onWindow: @Sendable () -> Void = {}
        public var observer: (@Sendable (PlayerEvent) -> Void)?
        public var tap: SoundTap?
        public var heard: Int64 = 0
        /// The time of a clock that a test moves.
        public var now = MonotonicTime(nanoseconds: 1_000_000_000)
    }

    public let state = Mutex(State())

    public init(items: Int = 0) {
        state.withLock { state in
            state.items = (0..<items).map {
                QueueItem(id: ItemID(number: UInt64($0 + 1)), draft: ItemDraft(uri: "a/\($0).mp3"))
            }
            state.snapshot.version = 1
            state.snapshot.queueLength = items
            state.snapshot.queueRevision = 7
        }
    }

    public var snapshot: PlayerSnapshot { state.withLock { $0.snapshot } }
    public var commands: [PlayerCommand] { state.withLock { $0.commands } }

    public func change(_ body: (inout PlayerSnapshot) -> Void) {
        state.withLock {
            $0.snapshot.version += 1
            body(&$0.snapshot)
        }
    }

    public func observe(_ observer: (@Sendable (PlayerEvent) -> Void)?) { state.withLock { $0.observer = observer } }

    public func tell(_ kind: PlayerEvent.Kind) {
        let (observer, version) = state.withLock { ($0.observer, $0.snapshot.version) }
        observer?(PlayerEvent(version: version, wallMilliseconds: 1, kind: kind))
    }

    public func fail(_ error: PlaybackError?) { state.withLock { $0.failure = error } }

    public func perform(
        _ command: PlayerCommand, reply: @escaping @Sendable (Result<PlayerSnapshot, PlaybackError>) -> Void
    ) {
        let result: Result<PlayerSnapshot, PlaybackError> = state.withLock { state in
            state.commands.append(command)
            if let failure = state.failure { return .failure(failure) }
            state.snapshot.version += 1
            if case .edit(let edit, _, _) = command {
                state.snapshot.queueRevision += 1
                if case .insert(let drafts, _) = edit {
                    state.snapshot.insertedItems = 100..<(100 + UInt64(drafts.count))
                }
            }
            return .success(state.snapshot)
        }
        reply(result)
    }

    public func ping(_ answer: @escaping @Sendable () -> Void) -> Bool {
        if !state.withLock({ $0.hangs }) { answer() }
        return true
    }

    public func listen(_ tap: SoundTap?) { state.withLock { $0.tap = tap } }
    public var tap: SoundTap? { state.withLock { $0.tap } }
    public var outputClock: OutputClock {
        OutputClock(
            ringIndex: state.withLock { $0.heard }, isAdvancing: false, sampledAt: MonotonicTime(nanoseconds: 0),
            latency: 0)
    }

    public func queueWindow(offset: Int, limit: Int) -> QueueWindow {
        let onWindow = state.withLock { $0.onWindow }
        onWindow()
        return state.withLock { state in
            QueueWindow(
                revision: state.snapshot.queueRevision, length: state.items.count, currentIndex: nil, offset: offset,
                items: Array(state.items.dropFirst(offset).prefix(limit)))
        }
    }

    public func queueItem(_ id: ItemID) -> (item: QueueItem, index: Int, revision: QueueRevision)? {
        state.withLock { state in
            guard let index = state.items.firstIndex(where: { $0.id == id }) else { return nil }
            return (state.items[index], index, state.snapshot.queueRevision)
        }
    }
}

public struct ScriptedMediaAccess: MediaAccess {
    public static let picture = MediaDescription.Picture(mimeType: "text/html", bytes: [0xFF, 0xD8, 0xFF, 1, 2, 3])

    public init() {}

    public func describe(_ locator: MediaLocator, cancellation: MediaCancellation) throws(MediaError)
        -> MediaDescription
    {
        if locator.uri == "gone.mp3" { throw MediaError(.notFound, "There is no gone.mp3.") }
        if locator.uri == "text.mp3" { throw MediaError(.unsupported, "There is no audio in text.mp3.") }
        var media = MediaDescription(format: .init(sampleRate: 44_100, layout: .stereo), duration: 441_000)
        media.tags.title = "Tagged"
        if locator.uri.hasPrefix("a/") { media.tags.picture = Self.picture }
        return media
    }

    public func list(folder path: String) throws(MediaError) -> MusicListing {
        if path == ".." { throw MediaError(.forbidden, "Outside the music folders.") }
        return MusicListing(
            path: path,
            entries: (0..<3).map { .init(name: "\($0).mp3", path: "\(path)/\($0).mp3", kind: .file, size: 10) })
    }

    public func places(
        of uris: [String], seconds: Double, cancellation: MediaCancellation
    ) -> [Int: MediaPlace] {
        let missing = uris.indices.filter { uris[$0] == "missing.mp3" }
        return Dictionary(
            uniqueKeysWithValues: missing.map { ($0, .unusable(MediaError(.notFound, "There is no missing.mp3."))) })
    }

    public func media(inFolder path: String, limit: Int) throws(MediaError) -> FolderContent {
        if path == "none" { throw MediaError(.notFound, "There is no folder none.") }
        return FolderContent(uris: (0..<3).map { "\(path)/\($0).mp3" }, isTruncated: path == "huge")
    }
}
