// SPDX-License-Identifier: Apache-2.0

internal import Audio
internal import Kernel

/// The stream's channels. Items of one layout share a stream, without a gap; one of another layout gets a stream of its own
/// once the last frame of the item before it was heard.
extension PlayerCore {
    /// The layout of a stream for this format, as the output chooses it for its device.
    func layout(for format: AudioFormat) -> ChannelLayout {
        routing.route?.streamLayout(for: format.layout) ?? (format.channelCount > 2 ? format.layout : .stereo)
    }

    /// The stream has the item's channels; or it was opened for them, and the output has chosen otherwise.
    func fits(_ track: LoadedTrack) -> Bool {
        guard let media = track.media else { return true }
        let wanted = layout(for: media.format)
        return wanted == stream.layout || wanted == stream.format?.layout
    }

    /// Replaces a stream that does not fit, before the first frame of the item is written.
    mutating func reconcileLayout() {
        guard !goal.isAtRest, let current, !current.isFed, !fits(current) else { return }
        if case .stop = goal { return }
        switch stream.state {
        case .closed: return
        case .opening: actions += stream.close()
        case .open(let generation, _, _): leave(generation)
        }
    }

    /// The device has changed while the item plays.
    mutating func leaveForLayout() {
        guard case .open(let generation, let format, _) = stream.state, let current, current.isFed,
            let media = current.media, layout(for: media.format) != format.layout
        else { return }
        leave(generation)
    }
}

/// The known loudness of the tracks, for the renderer.
extension PlayerCore {
    /// By its tags, or as it was measured; `isInAlbum`: the item before or after it is of the same album, and they are
    /// played in order.
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

    /// From the queue, or from the loaded media's tags.
    private func album(of item: QueueItem) -> String? {
        if let album = item.draft.album { return album }
        return [current, upcoming].compactMap(\.self).first { $0.item.id == item.id }?.media?.tags.album
    }
}
