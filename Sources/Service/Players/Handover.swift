// SPDX-License-Identifier: Apache-2.0

internal import Kernel
internal import Playback

/// How a follower ("heir") becomes the leader of its group, as a pure decision: it gets the leader's queue. If it
/// already plays the leader's item, the queue is built around that item, so that the sound continues.
struct Handover {
    var head: PlayerSnapshot
    /// The leader's queue.
    var queue: [QueueItem]
    var heir: PlayerSnapshot

    init(from head: Player, to heir: Player) {
        self.head = head.snapshot
        queue = head.queueWindow(offset: 0, limit: .max).items
        self.heir = heir.snapshot
    }

    /// The order of the queue, which the heir gets first.
    var order: SettingsPatch {
        var patch = head.settings.shared
        patch.leader = .some(nil)
        return patch
    }

    /// The edit of the heir's queue. If it fails, the handover is given up.
    var edit: PlayerCommand {
        guard let place = sharedPlace, let own = heir.item?.item.id else {
            return Self.edit(.replace(drafts, startIndex: head.item?.index))
        }
        return Self.edit(.surround(own, before: Array(drafts[..<place]), after: Array(drafts[(place + 1)...])))
    }

    /// Moves the heir to the leader's position. An item that is not seekable keeps its position.
    func transport(at now: MonotonicTime) -> [PlayerCommand] {
        guard let item = head.item else { return [] }
        let position = item.media?.broadcast == nil ? head.clock.position(at: now) : nil
        switch head.status {
        case .playing where sharedPlace != nil: return []
        case .idle, .stopping, .stopped, .completed, .failed: return []
        default: break
        }
        if head.playWhenReady, !lacksHeadphones { return [.play(.current, position: position)] }
        return position.map { [.seek(.position($0))] } ?? []
    }

    /// The heir waits for its headphones: it must not play on the speakers.
    private var lacksHeadphones: Bool { heir.reason == .routeLost && heir.output.missing == nil }

    /// The index of the item that both have, if both play it or both are silent.
    private var sharedPlace: Int? {
        guard let leaders = heir.item?.item.leaders, let place = queue.firstIndex(where: { $0.id == leaders }) else {
            return nil
        }
        let isHeard = head.status == .playing && heir.status == .playing
        return isHeard || head.status.isSilent && heir.status.isSilent ? place : nil
    }

    private var drafts: [ItemDraft] {
        queue.map { item in
            var draft = item.draft
            draft.reference = nil
            return draft
        }
    }

    private static func edit(_ edit: QueueEdit) -> PlayerCommand { .edit(edit, expected: nil, play: false) }
}

extension PlayerStatus {
    fileprivate var isSilent: Bool { self == .paused || self == .ready }
}
