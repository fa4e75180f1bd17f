// SPDX-License-Identifier: Apache-2.0

extension FollowerCore {
    enum Step: Equatable {
        /// Do nothing until the next look.
        case wait
        /// Keep the current item, which is the leader's, and remove the others.
        case adopt(ItemID, as: ItemID)
        /// Replace the queue with the item; `position` nil: without sound.
        case load(ItemDraft, position: Double?)
        /// Replace the queue with the station and play it.
        case join(ItemDraft)
        case append(ItemDraft)
        case remove(ItemID)
        /// nil: at the present position.
        case play(position: Double?)
        /// Seek without sound.
        case seek(Double)
        case pause
        case stop
        case adapt(LeaderPlayback)
        /// Shift the sound by this many seconds, earlier if positive.
        case shift(Double)

        /// The commands of the step, in order. `queue`: the follower's items.
        func commands(_ queue: () -> [ItemID]) -> [PlayerCommand] {
            switch self {
            case .wait: return []
            case .adopt(let id, let leaders):
                let others = queue().filter { $0 != id }
                var patch = ItemPatch()
                patch.reference = leaders.number
                let update = PlayerCommand.edit(.update(id, patch), expected: nil, play: false)
                return others.isEmpty ? [update] : [update, .edit(.remove(others), expected: nil, play: false)]
            case .load(let draft, nil):
                return [.pauseWithLeader, .edit(.replace([draft], startIndex: nil), expected: nil, play: false)]
            case .load(let draft, let position?):
                return Self.load(draft, position: nil).commands(queue) + [.play(.current, position: position)]
            case .join(let draft):
                return Self.load(draft, position: nil).commands(queue) + [.play(.current, position: nil)]
            case .append(let draft): return [.edit(.insert([draft], at: .end), expected: nil, play: false)]
            case .remove(let id): return [.edit(.remove([id]), expected: nil, play: false)]
            case .play(let position): return [.play(.current, position: position)]
            case .seek(let position): return [.seek(.position(position))]
            case .pause: return [.pauseWithLeader]
            case .stop: return [.stop(drain: false)]
            case .adapt(let playback): return [.adapt(playback)]
            case .shift(let seconds): return [.shift(seconds)]
            }
        }
    }
}
