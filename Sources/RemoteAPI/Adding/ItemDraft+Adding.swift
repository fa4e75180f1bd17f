// SPDX-License-Identifier: Apache-2.0

import Catalogue
import Playback

extension ItemDraft {
    /// What the client said of a list holds for its one entry.
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

    init(_ entry: PlaylistEntry) {
        self.init(uri: entry.uri, title: entry.title, artist: entry.artist, album: entry.album)
    }

    /// Of its texts, with what an item takes beside them.
    var byteCount: Int {
        let texts = [title, artist, album, artworkURI].reduce(0) { $0 + ($1?.utf8.count ?? 0) }
        return headers.reduce(128 + uri.utf8.count + texts) { $0 + $1.key.utf8.count + $1.value.utf8.count }
    }
}
