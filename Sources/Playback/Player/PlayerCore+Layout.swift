// SPDX-License-Identifier: Apache-2.0

internal import Audio
internal import Kernel

/// The stream's channel layout. Items with the same layout share a stream without a gap. An item with another layout gets
/// a new stream once the previous item was heard to its end.
extension PlayerCore {
    /// The stream layout for this format, as the output chooses it for its device.
    func layout(for format: AudioFormat) -> ChannelLayout {
        routing.route?.streamLayout(for: format.layout) ?? (format.channelCount > 2 ? format.layout : .stereo)
    }

    /// The stream has the item's layout, or was opened for it and the output chose another one.
    func fits(_ track: LoadedTrack) -> Bool {
        guard let media = track.media else { return true }
        let wanted = layout(for: media.format)
        return wanted == stream.layout || wanted == stream.format?.layout
    }

    /// Replaces a stream with another layout before the item's first frame is written.
    mutating func reconcileLayout() {
        guard goal.keepsItem, let current, !current.isFed, !fits(current) else { return }
        switch stream.state {
        case .closed: return
        case .opening:
            actions += stream.close()
            replaceStream(nil)
        case .open(let generation, _, _): replaceStream(generation)
        }
    }

    /// Replaces the stream if a device change requires another layout.
    mutating func replaceForLayout() {
        guard case .open(let generation, let format, _) = stream.state, let current, current.isFed,
            let media = current.media, layout(for: media.format) != format.layout
        else { return }
        replaceStream(generation)
    }
}

/// The known loudness of the tracks, for the renderer.
extension PlayerCore {
    /// The loudness from the tags, or as measured. `isInAlbum`: the item plays next to an item of the same album.
    func loudness(of generation: Generation) -> (track: TrackLoudness?, isInAlbum: Bool) {
        guard let track = loaded[generation], let media = track.media else { return (nil, false) }
        return (media.loudness, isInAlbum(track))
    }

    private func isInAlbum(_ track: LoadedTrack) -> Bool {
        guard !settings.shuffle, let album = album(of: track.item), let index = queue.index(of: track.item.id) else {
            return false
        }
        return [index - 1, index + 1].contains { neighbour in
            guard (0..<queue.count).contains(neighbour) else { return false }
            let item = queue[neighbour]
            if let other = self.album(of: item) { return other == album }
            return track.media?.sharesAlbum(of: track.item.uri, with: item.uri) == true
        }
    }

    /// From the queue item, or from the tags of a loaded item.
    private func album(of item: QueueItem) -> String? {
        if let album = item.draft.album { return album }
        return [current, upcoming].compactMap(\.self).first { $0.item.id == item.id }?.media?.tags.album
    }
}
