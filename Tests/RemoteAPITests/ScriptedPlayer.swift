// SPDX-License-Identifier: Apache-2.0

import Playback
import Synchronization
import Threading

@testable import RemoteAPI

/// Records commands and answers them as told.
final class ScriptedPlayer: PlayerControl {
    struct State {
        var snapshot = PlayerSnapshot()
        var items: [QueueItem] = []
        var commands: [PlayerCommand] = []
        var failure: PlaybackError?
        /// Commands are answered by `answerAll` only.
        var holds = false
        var held: [@Sendable () -> Void] = []
        /// Its thread hangs: no sign is given.
        var hangs = false
        var observer: (@Sendable (PlayerEvent) -> Void)?
    }

    let state = Mutex(State())

    init(items: Int = 0) {
        state.withLock { state in
            state.items = (0..<items).map {
                QueueItem(id: ItemID(number: UInt64($0 + 1)), draft: ItemDraft(uri: "a/\($0).mp3"))
            }
            state.snapshot.version = 1
            state.snapshot.queueLength = items
            state.snapshot.queueRevision = 7
        }
    }

    var snapshot: PlayerSnapshot { state.withLock { $0.snapshot } }
    var commands: [PlayerCommand] { state.withLock { $0.commands } }

    func change(_ body: (inout PlayerSnapshot) -> Void) {
        state.withLock {
            $0.snapshot.version += 1
            body(&$0.snapshot)
        }
    }

    func observe(_ observer: (@Sendable (PlayerEvent) -> Void)?) { state.withLock { $0.observer = observer } }

    func tell(_ kind: PlayerEvent.Kind) {
        let (observer, version) = state.withLock { ($0.observer, $0.snapshot.version) }
        observer?(PlayerEvent(version: version, wallMilliseconds: 1, kind: kind))
    }

    func fail(_ error: PlaybackError?) { state.withLock { $0.failure = error } }

    func perform(
        _ command: PlayerCommand, reply: @escaping @Sendable (Result<PlayerSnapshot, PlaybackError>) -> Void
    ) {
        let answer: (@Sendable () -> Void)? = state.withLock { state in
            state.commands.append(command)
            let result: Result<PlayerSnapshot, PlaybackError>
            if let failure = state.failure {
                result = .failure(failure)
            } else {
                state.snapshot.version += 1
                if case .edit(let edit, _, _) = command {
                    state.snapshot.queueRevision += 1
                    if case .insert(let drafts, _) = edit {
                        state.snapshot.insertedItems = 100..<(100 + UInt64(drafts.count))
                    }
                }
                result = .success(state.snapshot)
            }
            if state.holds {
                state.held.append { reply(result) }
                return nil
            }
            return { reply(result) }
        }
        answer?()
    }

    func answerAll() {
        let held = state.withLock { state in
            defer { state.held = [] }
            return state.held
        }
        for answer in held { answer() }
    }

    func giveSign(_ sign: @escaping @Sendable () -> Void) -> Bool {
        if !state.withLock({ $0.hangs }) { sign() }
        return true
    }

    func queueWindow(offset: Int, limit: Int) -> QueueWindow {
        state.withLock { state in
            QueueWindow(
                revision: state.snapshot.queueRevision, length: state.items.count, currentIndex: nil, offset: offset,
                items: Array(state.items.dropFirst(offset).prefix(limit)))
        }
    }

    func queueItem(_ id: ItemID) -> (item: QueueItem, index: Int, revision: QueueRevision)? {
        state.withLock { state in
            guard let index = state.items.firstIndex(where: { $0.id == id }) else { return nil }
            return (state.items[index], index, state.snapshot.queueRevision)
        }
    }
}

struct ScriptedCatalogue: MediaCatalogue {
    static let picture = MediaDescription.Picture(mimeType: "text/html", bytes: [0xFF, 0xD8, 0xFF, 1, 2, 3])

    func describe(_ locator: MediaLocator, cancellation: MediaCancellation) throws(MediaError) -> MediaDescription {
        if locator.uri == "gone.mp3" { throw MediaError(.notFound, "There is no gone.mp3.") }
        if locator.uri == "text.mp3" { throw MediaError(.unsupported, "There is no audio in text.mp3.") }
        var media = MediaDescription(format: .init(sampleRate: 44_100, layout: .stereo), duration: 441_000)
        media.tags.title = "Tagged"
        if locator.uri.hasPrefix("a/") { media.tags.picture = Self.picture }
        return media
    }

    func list(folder path: String) throws(MediaError) -> MusicListing {
        if path == ".." { throw MediaError(.forbidden, "Outside the music folders.") }
        return MusicListing(
            path: path, parent: path.isEmpty ? nil : "",
            entries: (0..<3).map { .init(name: "\($0).mp3", path: "\(path)/\($0).mp3", kind: .file, size: 10) })
    }

    func media(inFolder path: String, limit: Int) throws(MediaError) -> FolderContent {
        if path == "none" { throw MediaError(.notFound, "There is no folder none.") }
        return FolderContent(uris: (0..<3).map { "\(path)/\($0).mp3" }, isTruncated: path == "huge")
    }
}
