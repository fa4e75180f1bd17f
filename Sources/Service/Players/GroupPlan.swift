// SPDX-License-Identifier: Apache-2.0

/// The steps from the present groups to a wanted one, as a pure decision. A group has one leader; a follower is never a
/// leader.
struct GroupPlan {
    enum Step: Hashable {
        /// The first player follows the second, or none.
        case follow(String, String?)
        /// A follower of the first player takes over its queue and becomes independent. Without `isNeeded`, the next
        /// steps are performed even if this one fails.
        case handOver(from: String, to: String, isNeeded: Bool)
    }

    /// By the id of the follower.
    var leaders: [String: String]

    /// The steps that make the player follow `wanted`, or none.
    func steps(_ player: String, follows wanted: String?) -> [Step] {
        guard let wanted else {
            // Its music plays on, with the queue.
            return leaders[player].map { [.handOver(from: $0, to: player, isNeeded: false), .follow(player, nil)] }
                ?? []
        }
        let followers = leaders.filter { $0.value == player }.keys.sorted()
        if leaders[wanted] == player {
            // Leader and follower swap roles, and the group stays.
            let others = followers.filter { $0 != wanted }
            return [.handOver(from: player, to: wanted, isNeeded: true)]
                + (others + [player]).map { .follow($0, wanted) }
        }
        let head = leaders[wanted] ?? wanted
        guard head != player, head != leaders[player] else { return [] }
        return (followers + [player]).map { .follow($0, head) }
    }

    /// Steps that keep a group together when its leader is removed: one of its followers becomes the leader.
    func steps(removing player: String) -> [Step] {
        let followers = leaders.filter { $0.value == player }.keys.sorted()
        guard let heir = followers.first else { return [] }
        return [.handOver(from: player, to: heir, isNeeded: false)] + followers.dropFirst().map { .follow($0, heir) }
    }

    func leaders(after steps: [Step]) -> [String: String] {
        steps.reduce(into: leaders) { leaders, step in
            switch step {
            case .follow(let id, let leader): leaders[id] = leader
            case .handOver(_, let heir, _): leaders[heir] = nil
            }
        }
    }
}
