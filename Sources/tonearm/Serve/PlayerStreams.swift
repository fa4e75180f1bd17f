// SPDX-License-Identifier: Apache-2.0

import Media
import Playback
import Service
import SoundFiles
import Synchronization
import Kernel

/// The open web media of each player, for the stream recorder.
final class PlayerStreams: Sendable {
    private struct State {
        var members: [String: (streams: OpenStreams, player: Player?)] = [:]
        var opened: @Sendable (_ player: String) -> Void = { _ in }
    }

    private let state = Mutex(State())

    /// For the opener of a player, before the player is made.
    func streams(of id: String) -> OpenStreams {
        state.withLock { state in
            if let member = state.members[id] { return member.streams }
            let streams = OpenStreams { [weak self] in self?.opened(by: id) }
            state.members[id] = (streams, nil)
            return streams
        }
    }

    private func opened(by id: String) { state.withLock { $0.opened }(id) }

    /// `opened` is called on any thread when a player has opened an item; it must not block.
    func observe(_ opened: @escaping @Sendable (_ player: String) -> Void) { state.withLock { $0.opened = opened } }

    /// For the event bus.
    func receive(_ change: PlayerChange, of player: HostedPlayer) {
        switch change {
        case .admitted:
            _ = streams(of: player.id)
            state.withLock { $0.members[player.id]?.player = player.player }
        case .dismissed: state.withLock { $0.members[player.id] = nil }
        case .added, .removed: break
        }
    }

    func item(of id: String) -> StreamRecorder.Item? {
        guard let snapshot = state.withLock({ $0.members[id]?.player })?.snapshot, let item = snapshot.item else {
            return nil
        }
        return StreamRecorder.Item(id: item.item.id.description, isHeld: snapshot.holdsItem)
    }

    func stream(of id: String) throws(RecordingError) -> any RecordableStream {
        guard let member = state.withLock({ $0.members[id] }), let current = member.player?.snapshot.item else {
            throw .nothingToSave("The player has no item.")
        }
        guard MediaLocator.isNetwork(current.item.draft.uri) else {
            throw .nothingToSave("The item is a local file; only web items can be saved.")
        }
        switch member.streams.find(current.item.id) {
        case .stream(let tap): return tap
        case .segments:
            throw .nothingToSave("The item is an HLS stream, which consists of many files; it cannot be saved.")
        case nil: throw .nothingToSave("Nothing of the item is loaded yet: play it first.")
        }
    }
}

extension PlayerSnapshot {
    /// The current item stays open: a station while it should play, any other item until the player stops.
    fileprivate var holdsItem: Bool {
        switch status {
        case .idle, .stopping, .stopped, .completed, .failed: false
        case .loading, .ready, .playing, .paused, .buffering, .seeking, .interrupted:
            playWhenReady || item?.media?.broadcast == nil
        }
    }
}

extension Server {
    static func streamRecorder(_ directory: RecordingDirectory?, _ sources: PlayerStreams) -> StreamRecorder? {
        guard let directory else { return nil }
        let recorder = StreamRecorder(
            store: directory,
            stream: { id throws(RecordingError) in try sources.stream(of: id) },
            item: { sources.item(of: $0) })
        sources.observe { [weak recorder] in recorder?.changed($0) }
        return recorder
    }
}

extension StreamRecorder {
    /// Ends the recording of a player's stream. Returns after its events are published, at the latest after 1 s.
    func forgetSoon(_ player: String) {
        let done = Mailbox<Void>()
        forget(player) { done.post(()) }
        _ = done.take(until: .now.advanced(bySeconds: 1))
    }

    /// Any thread may call this.
    func receive(_ event: PlayerEvent, of player: String) {
        switch event.kind {
        case .item, .status: changed(player)
        default: break
        }
    }
}
