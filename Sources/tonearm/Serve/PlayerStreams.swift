// SPDX-License-Identifier: Apache-2.0

import Media
import Playback
import Service
import SoundFiles
import Synchronization
import Kernel

/// Each player's open media from the web, for the recorder of streams.
final class PlayerStreams: Sendable {
    private struct Member {
        var streams: OpenStreams
        var player: Player?
    }

    /// In a struct, because a closure that is the mutex's whole value is wrapped once more by every access to it.
    private struct Observer {
        var opened: @Sendable (_ player: String) -> Void = { _ in }
    }

    private let observer = Mutex(Observer())
    private let members = Mutex<[String: Member]>([:])

    /// For the opener of a player, before it is made.
    func streams(of id: String) -> OpenStreams {
        members.withLock { members in
            let member =
                members[id] ?? Member(streams: OpenStreams { [weak self] in self?.observer.withLock { $0.opened }(id) })
            members[id] = member
            return member.streams
        }
    }

    /// `opened`: this player has opened something; from any thread, and it must not block.
    func observe(_ opened: @escaping @Sendable (_ player: String) -> Void) { observer.withLock { $0.opened = opened } }

    /// For the event bus.
    func receive(_ change: PlayerChange, of player: HostedPlayer) {
        switch change {
        case .admitted:
            _ = streams(of: player.id)
            members.withLock { $0[player.id]?.player = player.player }
        case .dismissed: _ = members.withLock { $0.removeValue(forKey: player.id) }
        case .added, .removed: break
        }
    }

    func item(of id: String) -> StreamRecorder.Item? {
        guard let snapshot = members.withLock({ $0[id]?.player })?.snapshot, let item = snapshot.item else {
            return nil
        }
        return StreamRecorder.Item(id: item.item.id.description, isHeld: snapshot.holdsItem)
    }

    func stream(of id: String) throws(RecordingError) -> any RecordableStream {
        guard let member = members.withLock({ $0[id] }), let current = member.player?.snapshot.item else {
            throw .nothingToSave("The player has no item.")
        }
        guard MediaLocator.isNetwork(current.item.draft.uri) else {
            throw .nothingToSave("The item is a local file; only web items can be saved.")
        }
        switch member.streams.find(current.item.id) {
        case .stream(let tap): return tap
        case .segments:
            throw .nothingToSave(
                "The item is an HLS stream, which consists of many files; it cannot be saved.")
        case nil: throw .nothingToSave("Nothing of the item is loaded yet: play it first.")
        }
    }
}

extension PlayerSnapshot {
    /// The current item stays open: a station while it is to be heard, anything else until the player rests.
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
            StreamRecorder.Environment(
                store: directory,
                stream: { id throws(RecordingError) in try sources.stream(of: id) },
                item: { sources.item(of: $0) }))
        sources.observe { [weak recorder] in recorder?.changed($0) }
        return recorder
    }
}

extension StreamRecorder {
    /// Ends the recording of a player's stream; returns when its events are published, after 1 s at the latest.
    func forgetSoon(_ player: String) {
        let done = Mailbox<Void>()
        forget(player) { done.post(()) }
        _ = done.take(until: .now.advanced(bySeconds: 1))
    }

    /// From any thread.
    func receive(_ event: PlayerEvent, of player: String) {
        switch event.kind {
        case .item, .status: changed(player)
        default: break
        }
    }
}
