// SPDX-License-Identifier: Apache-2.0

public import Kernel
public import Playback
internal import Synchronization

/// The details of the items in queue windows. Those of files are the catalogue's, read once for each window and revision of the
/// catalogue; those of addresses are what they had when they were last played, since the start of the server.
public final class QueueDetails: Sendable {
    /// Maximum number of cached paths.
    static let most = 4_000
    /// Maximum number of addresses whose details are kept.
    static let mostPlayed = 500

    private struct State {
        var revision: UInt64?
        /// nil for a path without a track.
        var known: [PathKey: TrackDetails?] = [:]
    }

    private let library: (any MusicLibrary)?
    private let state = Mutex(State())
    private let played = Mutex<[PathKey: TrackDetails]>([:])

    init(_ library: (any MusicLibrary)?) { self.library = library }

    /// The catalogue's revision; nil without a catalogue.
    public var revision: UInt64? { library?.status.revision }

    /// Keeps what the media of an address says about itself. Never blocks.
    public func receive(_ event: PlayerEvent) {
        guard case .item(let current?) = event.kind, current.item.isRemote, let media = current.media else { return }
        let tags = media.tags
        guard let title = media.broadcast?.station ?? tags.title else { return }
        let details = TrackDetails(
            title: title, artist: tags.artist, album: tags.album, albumArtist: tags.albumArtist, year: nil,
            discNumber: tags.discNumber, trackNumber: tags.trackNumber, duration: current.duration)
        played.withLock { played in
            if played.count >= Self.mostPlayed { played = [:] }
            played[PathKey(current.item.uri)] = details
        }
    }

    /// The cached details. Never blocks.
    public func atHand(_ items: [QueueItem]) -> [PathKey: TrackDetails] { find(items).found }

    /// nil if the catalogue must be read.
    public func complete(_ items: [QueueItem]) -> [PathKey: TrackDetails]? {
        let (found, missing) = find(items)
        return missing.isEmpty ? found : nil
    }

    /// May block for milliseconds. Unreadable details are left out.
    public func read(_ items: [QueueItem]) -> [PathKey: TrackDetails] {
        let (found, missing) = find(items)
        guard let library, !missing.isEmpty else { return found }
        // Taken before the read, so that the cached details are never older than the revision.
        let revision = library.status.revision
        do throws(CatalogueError) {
            let new = try library.details(of: missing)
            state.withLock { state in
                if state.revision != revision || state.known.count + missing.count > Self.most {
                    state = State(revision: revision)
                }
                for uri in missing { state.known[PathKey(uri)] = .some(new[PathKey(uri)]) }
            }
            return found.merging(new) { $1 }
        } catch {
            return found
        }
    }

    private func find(_ items: [QueueItem]) -> (found: [PathKey: TrackDetails], missing: [String]) {
        let remote = items.filter(\.isRemote).map { PathKey($0.uri) }
        var found = played.withLock { played in
            Dictionary(remote.compactMap { key in played[key].map { (key, $0) } }) { first, _ in first }
        }
        guard let library else { return (found, []) }
        let revision = library.status.revision
        return state.withLock { state in
            if state.revision != revision { state = State(revision: revision) }
            var missing: Set<PathKey> = []
            for item in items where !item.isRemote {
                let key = PathKey(item.uri)
                switch state.known[key] {
                case .some(.some(let details)): found[key] = details
                case .some(.none): break
                case .none: missing.insert(key)
                }
            }
            return (found, missing.map(\.path))
        }
    }
}
