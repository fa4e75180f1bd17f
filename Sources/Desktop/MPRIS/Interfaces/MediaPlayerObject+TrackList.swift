// SPDX-License-Identifier: Apache-2.0

import Playback
internal import Service

/// org.mpris.MediaPlayer2.TrackList: the queue around the current item.
extension MediaPlayerObject {
    func trackListCall(_ member: String, _ arguments: [BusValue]) -> Answer {
        switch member {
        case "GetTracksMetadata":
            guard case .paths(let paths)? = arguments.first else { return .failure(.invalid("Tracks are needed.")) }
            return .values([.dictionaries(paths.prefix(TrackWindow.limit).compactMap(metadata))])
        case "AddTrack": return addTrack(arguments)
        case "RemoveTrack":
            guard CommandOffer(player.snapshot).control, let id = track(arguments.first) else { return .nothing }
            return .command(.edit(.remove([id]), expected: nil, play: false))
        case "GoTo":
            guard CommandOffer(player.snapshot).play, let id = track(arguments.first) else { return .nothing }
            return .command(.play(.item(id), position: nil))
        default: return .failure(.unknownMethod(InterfaceName.trackList, member))
        }
    }

    private func metadata(_ path: String) -> [String: BusValue]? {
        guard let id = TrackPath.item(path), player.snapshot.settings.remote.showsMetadata else { return nil }
        if let current = player.snapshot.item, current.item.id == id,
            case .dictionary(let metadata)? = properties(of: InterfaceName.player)?["Metadata"]
        {
            return metadata
        }
        return player.queueItem(id).map { TrackMetadata.of($0.item) }
    }

    /// nil if the item is not in the queue: the call then has no effect.
    private func track(_ argument: BusValue?) -> ItemID? {
        guard case .path(let path)? = argument, let id = TrackPath.item(path), player.queueItem(id) != nil else {
            return nil
        }
        return id
    }

    private func addTrack(_ arguments: [BusValue]) -> Answer {
        guard arguments.count == 3, case .text(let uri) = arguments[0], case .path(let after) = arguments[1],
            case .flag(let play) = arguments[2]
        else { return .failure(.invalid("An address, a track and a flag are needed.")) }
        guard CommandOffer(player.snapshot).control else { return .nothing }
        if after == TrackPath.none { return open(uri, at: .index(0), play: play) }
        guard let id = TrackPath.item(after), let found = player.queueItem(id) else {
            return open(uri, at: .end, play: play)
        }
        return open(uri, at: .index(found.index + 1), play: play, expected: found.revision)
    }
}

/// The part of the queue that is on the bus: up to a thousand items around the current one, as the specification recommends
/// for long lists.
struct TrackWindow {
    static let limit = 1_000

    private(set) var paths: [String] = []
    private var range = 0..<0
    private var revision: QueueRevision?

    /// Returns whether the window has changed.
    mutating func update(from player: PlayerService, _ snapshot: PlayerSnapshot) -> Bool {
        let index = snapshot.item?.index ?? 0
        let isInside = range.contains(index) || snapshot.queueLength <= Self.limit
        if revision == snapshot.queueRevision, isInside { return false }
        let window = player.queueWindow(offset: max(0, index - Self.limit / 2), limit: Self.limit)
        revision = window.revision
        range = window.offset..<(window.offset + window.items.count)
        let new = window.items.map { TrackPath.text($0.id) }
        defer { paths = new }
        return new != paths
    }
}
