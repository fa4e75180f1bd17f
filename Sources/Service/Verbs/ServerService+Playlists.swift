// SPDX-License-Identifier: Apache-2.0

internal import Kernel
internal import Playback

public enum PlaylistContent: Sendable {
    /// Resolved as for a queue.
    case items([ItemRequest], AddingRules)
    /// The items of this player's queue.
    case queue(any PlayerControl)
}

/// The changed list, and the resolved items.
public typealias ChangedPlaylist = (list: Playlist, found: ResolvedItems)

/// Saved lists of media.
extension ServerService {
    public func playlists(reply: @escaping ServiceReply<[Playlist]>) {
        onPlaylists(nil, reply) { keeper throws(PlaylistError) in try keeper.playlists() }
    }

    /// The list, and a window of its entries.
    public func playlist(
        _ id: PlaylistID, offset: Int, limit: Int,
        reply: @escaping ServiceReply<(list: Playlist, entries: [PlaylistEntry])>
    ) {
        onPlaylists(id, reply) { keeper throws(PlaylistError) in
            try keeper.playlist(id, offset: offset, limit: limit)
        }
    }

    /// The entries as they are shown: with the library's texts where they have none. May block for milliseconds.
    public func described(_ entries: [PlaylistEntry]) -> [PlaylistEntry] {
        do throws(CatalogueError) {
            let files = entries.map(\.uri).filter { !MediaLocator.isNetwork($0) }
            guard !files.isEmpty, let details = try parts.library?.details(of: files) else { return entries }
            return entries.map { entry in
                let known = details[PathKey(entry.uri)]
                return PlaylistEntry(
                    uri: entry.uri, title: entry.title ?? known?.title, artist: entry.artist ?? known?.artist,
                    album: entry.album ?? known?.album, reach: entry.reach)
            }
        } catch {
            // They are shown with their own texts.
            return entries
        }
    }

    public func createPlaylist(
        _ name: String, _ content: PlaylistContent, for caller: Caller, reply: @escaping ServiceReply<ChangedPlaylist>
    ) {
        items(of: content, for: caller, orElse: reply) { [self] items in
            onPlaylists(nil, reply) { keeper throws(PlaylistError) in
                let found = items()
                return (try keeper.create(name: name, entries: found.items.map(PlaylistEntry.init)), found)
            }
        }
    }

    /// `content`: the new items and the kind of change; nil leaves a member unchanged. `expected`: the
    /// revisions of the list that allow the change; nil: any.
    public func changePlaylist(
        _ id: PlaylistID, name: String?, content: PlaylistContent?,
        _ change: @escaping @Sendable ([PlaylistEntry]) -> PlaylistChange = { .replace($0) }, expected: [UInt64]?,
        for caller: Caller, reply: @escaping ServiceReply<ChangedPlaylist>
    ) {
        let store = { @Sendable [self] (items: (@Sendable () -> ResolvedItems)?) in
            onPlaylists(id, reply) { keeper throws(PlaylistError) in
                let found = items?()
                let entries = found.map { change($0.items.map(PlaylistEntry.init)) }
                let list = try keeper.change(id, name: name, entries: entries, expected: expected)
                return (list, found ?? ResolvedItems())
            }
        }
        guard let content else { return store(nil) }
        items(of: content, for: caller, orElse: reply) { store($0) }
    }

    public func removePlaylist(_ id: PlaylistID, expected: [UInt64]?, reply: @escaping ServiceReply<Void>) {
        onPlaylists(id, reply) { keeper throws(PlaylistError) in try keeper.remove(id, expected: expected) }
    }

    /// Calls `use` with a closure that returns the items; it runs on the library's thread.
    private func items<Value>(
        of content: PlaylistContent, for caller: Caller, orElse reply: @escaping ServiceReply<Value>,
        _ use: @escaping @Sendable (@escaping @Sendable () -> ResolvedItems) -> Void
    ) {
        guard parts.playlists != nil else { return reply(.failure(.noPlaylists)) }
        switch content {
        case .queue(let player):
            use {
                var found = ResolvedItems()
                found.items = player.queueWindow(offset: 0, limit: Queue.maximumLength).items.map(\.draft)
                return found
            }
        case .items(let items, let rules):
            resolve(items, rules, for: caller) { result in
                attempt(reply) { () throws(Problem) in
                    let found = try result.get()
                    try found.checkRest()
                    use { found }
                }
            }
        }
    }

    private func onPlaylists<Value>(
        _ id: PlaylistID?, _ reply: @escaping ServiceReply<Value>,
        _ job: @escaping @Sendable (any PlaylistKeeper) throws(PlaylistError) -> Value
    ) {
        guard let keeper = parts.playlists else { return reply(.failure(.noPlaylists)) }
        onLibrary(reply: reply) { () throws(Problem) in
            do throws(PlaylistError) { return try job(keeper) } catch { throw Problem(error, id) }
        }
    }
}
