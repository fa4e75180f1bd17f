// SPDX-License-Identifier: Apache-2.0

public import Playback

extension ItemDraft {
    /// Applies the client's texts for a list to its only entry.
    func described(by request: ItemDraft) -> ItemDraft {
        var draft = self
        draft.title = request.title ?? title
        draft.artist = request.artist ?? artist
        draft.album = request.album ?? album
        draft.artworkURI = request.artworkURI ?? artworkURI
        draft.beginTime = request.beginTime
        draft.loops = request.loops
        return draft
    }

    public init(_ entry: PlaylistEntry) {
        self.init(uri: entry.uri, title: entry.title, artist: entry.artist, album: entry.album, reach: entry.reach)
    }
}

extension PlaylistEntry {
    init(_ draft: ItemDraft) {
        self.init(
            uri: draft.uri, title: draft.title, artist: draft.artist, album: draft.album, reach: draft.reach)
    }
}
