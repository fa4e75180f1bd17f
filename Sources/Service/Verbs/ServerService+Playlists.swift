// SPDX-License-Identifier: Apache-2.0

internal import Playback

/// The content of a playlist.
public enum PlaylistContent: Sendable {
    case items([ItemRequest])
    /// The items of this player's queue.
    case queue(any PlayerControl)
}

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

    public func createPlaylist(
        _ name: String, _ content: PlaylistContent, for caller: Caller, reply: @escaping ServiceReply<Playlist>
    ) {
        entries(of: content, for: caller, orElse: reply) { [self] entries in
            onPlaylists(nil, reply) { keeper throws(PlaylistError) in
                try keeper.create(name: name, entries: entries())
            }
        }
    }

    /// `content` with the way in which it changes the entries; nil leaves a member as it is. `expected`: the revision that the
    /// list must have.
    public func changePlaylist(
        _ id: PlaylistID, name: String?, content: PlaylistContent?,
        _ change: @escaping @Sendable ([PlaylistEntry]) -> PlaylistChange = { .replace($0) }, expected: UInt64?,
        for caller: Caller, reply: @escaping ServiceReply<Playlist>
    ) {
        let store = { @Sendable [self] (entries: (@Sendable () -> [PlaylistEntry])?) in
            onPlaylists(id, reply) { keeper throws(PlaylistError) in
                try keeper.change(id, name: name, entries: entries.map { change($0()) }, expected: expected)
            }
        }
        guard let content else { return store(nil) }
        entries(of: content, for: caller, orElse: reply) { store($0) }
    }

    public func removePlaylist(_ id: PlaylistID, expected: UInt64?, reply: @escaping ServiceReply<Void>) {
        onPlaylists(id, reply) { keeper throws(PlaylistError) in try keeper.remove(id, expected: expected) }
    }

    /// Calls `use` with a closure that makes the entries; it runs on the library's thread.
    private func entries<Value>(
        of content: PlaylistContent, for caller: Caller, orElse reply: @escaping ServiceReply<Value>,
        _ use: @escaping @Sendable (@escaping @Sendable () -> [PlaylistEntry]) -> Void
    ) {
        guard parts.playlists != nil else { return reply(.failure(.noPlaylists)) }
        switch content {
        case .queue(let player):
            use { player.queueWindow(offset: 0, limit: Queue.maximumLength).items.map { PlaylistEntry($0.draft) } }
        case .items(let items):
            // A list may be kept longer than a disk is plugged in.
            var rules = AddingRules()
            rules.keepsMissing = true
            resolve(items, rules, for: caller) { result in
                switch result {
                case .success(let found): use { found.items.map(PlaylistEntry.init) }
                case .failure(let problem): reply(.failure(problem))
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
