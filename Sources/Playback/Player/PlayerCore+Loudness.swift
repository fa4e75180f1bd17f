// SPDX-License-Identifier: Apache-2.0

internal import Audio

/// The known loudness of the tracks, for the renderer.
extension PlayerCore {
    /// By its tags, or as it was measured; `isInAlbum`: the item before or after it is of the same album, and they are
    /// played in order.
    func loudness(of generation: Generation) -> (track: TrackLoudness?, isInAlbum: Bool) {
        let loaded = [current, upcoming].compactMap(\.self)
        guard let track = loaded.first(where: { $0.generation == generation }), let media = track.media else {
            return (nil, false)
        }
        return (media.loudness, isInAlbum(track))
    }

    private func isInAlbum(_ track: Track) -> Bool {
        guard !settings.shuffle, let album = album(of: track.item), let index = queue.index(of: track.item.id) else {
            return false
        }
        return [index - 1, index + 1].contains { neighbour in
            guard (0..<queue.count).contains(neighbour) else { return false }
            let item = queue[neighbour]
            if let other = self.album(of: item) { return other == album }
            return track.media?.companions.albumFiles.contains(item.uri) == true
        }
    }

    /// From the queue, or from the loaded media's tags.
    private func album(of item: QueueItem) -> String? {
        if let album = item.draft.album { return album }
        return [current, upcoming].compactMap(\.self).first { $0.item.id == item.id }?.media?.tags.album
    }
}
