// SPDX-License-Identifier: Apache-2.0

public import Service

/// An empty list `p1` and `p2` of two items, both at revision 5. A new one is `p3`; nothing is kept.
public struct ScriptedPlaylists: PlaylistKeeper {
    public init() {}

    public func playlist(
        _ id: PlaylistID, offset: Int, limit: Int
    ) throws(PlaylistError) -> (list: Playlist, entries: [PlaylistEntry]) {
        guard id.number <= 2 else { throw .unknown }
        let entries = (0..<(id.number == 1 ? 0 : 2)).map { PlaylistEntry(uri: "\($0).mp3") }
        return (Playlist(id: id, name: "list", length: entries.count, revision: 5, modified: 0), entries)
    }

    public func search(_ text: String, limit: Int) throws(PlaylistError) -> [Playlist] { [] }
    public func playlists() throws(PlaylistError) -> [Playlist] { [] }

    public func create(name: String, entries: [PlaylistEntry]) throws(PlaylistError) -> Playlist {
        Playlist(id: PlaylistID(number: 3), name: name, length: entries.count, revision: 1, modified: 0)
    }

    public func change(
        _ id: PlaylistID, name: String?, entries: PlaylistChange?, expected: [UInt64]?
    ) throws(PlaylistError) -> Playlist { throw .revisionMismatch(current: 5) }

    public func remove(_ id: PlaylistID, expected: [UInt64]?) throws(PlaylistError) {}
}
